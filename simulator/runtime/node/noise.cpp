#include "simulator/runtime/node/noise.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>
#include <span>

#include "factosim/error.hpp"
#include "simulator/base/core/split_mix.hpp"

namespace factosim {

namespace {

/// Quantile of the standard normal distribution.
double normal_quantile(double u) { return boost::math::quantile(boost::math::normal(), u); }

/// Rounds to 24 bits: the last bits of exp and log differ between C libraries, and results must not.
double rounded(double factor) { return static_cast<double>(static_cast<float>(factor)); }

double empirical_duration(std::span<double const> samples, double mean, double scale, double u) {
  FACTOSIM_EXPECT(!samples.empty(), "a timing has samples where they are drawn from");
  double const sample = samples[static_cast<std::size_t>(u * static_cast<double>(samples.size()))];
  return std::max(std::lerp(mean, sample, scale), std::min(sample, min_random_factor * mean));
}

}  // namespace

/// An odd multiple of 2^-53: above 0, below 1, and the mean is exactly a half.
double uniform(std::uint64_t seed, RandomStream stream, std::uint64_t id) {
  std::uint64_t const bits = split_mix(split_mix(split_mix(seed) ^ static_cast<std::uint64_t>(stream)) ^ id);
  return static_cast<double>(bits >> 11 | 1U) * 0x1p-53;
}

double normal_factor(double deviation, double u) {
  double const limit = (1 - min_random_factor) / deviation;
  double const below = std::erfc(limit / std::numbers::sqrt2) / 2;
  double const quantile = normal_quantile(below + u * (1 - 2 * below));
  return rounded(1 + deviation * std::clamp(quantile, -limit, limit));
}

double lognormal_factor(double deviation, double u) {
  double const variance = std::log1p(deviation * deviation);  // of the logarithm
  return rounded(std::exp(std::sqrt(variance) * normal_quantile(u) - variance / 2));
}

double run_factor(double deviation, std::uint64_t seed) {
  return deviation > 0 ? lognormal_factor(deviation, uniform(seed, RandomStream::run, 0)) : 1.0;
}

RuntimeOptions perturbed(RuntimeOptions options, NoiseOptions const& noise) {
  if (noise.overhead_precision == 0) return options;
  std::uint64_t id = 0;
  for (Seconds RuntimeOptions::*const cost : runtime_costs)
    options.*cost =
        options.*cost * precision_factor(noise.overhead_precision,
                                         uniform(noise.perturbation_seed, RandomStream::overhead, id++));
  return options;
}

Noise::Noise(NoiseOptions const& options, Machine const& machine, NodeId node)
    : options_(options),
      type_(machine.type(node)),
      worker_factor_(type_.workers.size(), 1.0),
      has_run_(type_.durations.size(), 0) {
  double worker_deviation = options_.worker_speed_deviation, run_deviation = options_.run_speed_deviation;
  if (options_.distribution == NoiseDistribution::calibrated) {
    FACTOSIM_EXPECT(type_.variability.has_value(), "calibrated noise needs a calibrated kernel model");
    worker_deviation = options_.scale * type_.variability->worker_deviation;
    run_deviation = options_.scale * type_.variability->run_deviation.value_or(0);
  }
  set_speed_factors(worker_deviation, run_deviation, machine.first_worker[node.index()]);
}

void Noise::set_speed_factors(double worker_deviation, double run_deviation, std::uint64_t first_worker) {
  double const of_run = run_factor(run_deviation, options_.seed);
  for (std::size_t w = 0; w < worker_factor_.size(); ++w) {
    worker_factor_[w] = of_run;
    if (worker_deviation > 0)
      worker_factor_[w] *=
          lognormal_factor(worker_deviation, uniform(options_.seed, RandomStream::worker, first_worker + w));
  }
}

double Noise::duration(std::uint32_t task, std::size_t kernel, std::uint32_t worker) {
  std::size_t const place = kernel * type_.workers.size() + worker;
  bool const first = std::exchange(has_run_[place], 1) == 0;
  double const duration =
      drawn(task, place, first) * worker_factor_[worker] * (first ? options_.first_execution_factor : 1.0);
  if (options_.duration_precision == 0) return duration;
  return duration * precision_factor(options_.duration_precision,
                                     uniform(options_.perturbation_seed, RandomStream::perturbation, task));
}

double Noise::drawn(std::uint32_t task, std::size_t place, bool first) const {
  double const mean = type_.durations[place];
  double const deviation = options_.scale * type_.deviations[place];
  if (options_.distribution == NoiseDistribution::none) return mean;
  double const u = uniform(options_.seed, RandomStream::task, task);
  bool const calibrated = options_.distribution == NoiseDistribution::calibrated;
  if (calibrated && first && !type_.first_samples[place].empty())
    return empirical_duration(type_.first_samples[place], mean, options_.scale, u);
  if (options_.distribution == NoiseDistribution::empirical || (calibrated && !type_.samples[place].empty()))
    return empirical_duration(type_.samples[place], mean, options_.scale, u);
  if (deviation == 0) return mean;
  return mean * (options_.distribution == NoiseDistribution::normal ? normal_factor(deviation / mean, u)
                                                                    : lognormal_factor(deviation / mean, u));
}

}  // namespace factosim
