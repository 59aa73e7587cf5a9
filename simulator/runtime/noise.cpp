#include "simulator/runtime/noise.hpp"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "simulator/core/error.hpp"
#include "simulator/core/named_values.hpp"

namespace factosim {

namespace {

constexpr NamedValues<NoiseDistribution, 4> known{.what = "noise distribution",
                                                  .values = {{{NoiseDistribution::none, "none"},
                                                              {NoiseDistribution::normal, "normal"},
                                                              {NoiseDistribution::lognormal, "lognormal"},
                                                              {NoiseDistribution::empirical, "empirical"}}}};

constexpr double least_factor = 0.1;  // of the mean: what normal draws are truncated at

// ---- numbers from counters ----

/// What a number is drawn for: numbers of different streams have nothing to do with each other.
enum class Stream : std::uint64_t { task = 1, worker = 2 };

/// Splitmix64 (Steele, Lea, Flood 2014): a step of the counter and the mix of its bits.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// An odd multiple of 2^-53: above 0, below 1, and the mean is exactly a half.
double uniform(std::uint64_t seed, Stream stream, std::uint64_t id) {
  std::uint64_t const bits = mixed(mixed(mixed(seed) ^ static_cast<std::uint64_t>(stream)) ^ id);
  return static_cast<double>(bits >> 11 | 1U) * 0x1p-53;
}

// ---- distributions, as quantiles ----

/// Quantile of the standard normal distribution.
double normal_quantile(double u) { return boost::math::quantile(boost::math::normal(), u); }

/// To 24 bits: the last bits of exp and log are not the same in every C library, and results should be.
double rounded(double factor) { return static_cast<double>(static_cast<float>(factor)); }

/// Mean 1. The truncation takes from the deviation: 0.2 % of one of 0.25, 1.3 % of one of 0.3.
double normal_factor(double deviation, double u) {
  double const limit = (1 - least_factor) / deviation;
  double const below = std::erfc(limit / std::numbers::sqrt2) / 2;
  double const quantile = normal_quantile(below + u * (1 - 2 * below));
  return rounded(1 + deviation * std::clamp(quantile, -limit, limit));
}

/// Mean 1 and that deviation.
double lognormal_factor(double deviation, double u) {
  double const variance = std::log1p(deviation * deviation);  // of the logarithm
  return rounded(std::exp(std::sqrt(variance) * normal_quantile(u) - variance / 2));
}

double empirical_duration(std::span<double const> samples, double mean, double scale, double u) {
  FACTOSIM_EXPECT(!samples.empty(), "a timing has samples where they are drawn from");
  double const sample = samples[static_cast<std::size_t>(u * static_cast<double>(samples.size()))];
  return std::max(std::lerp(mean, sample, scale), std::min(sample, least_factor * mean));
}

}  // namespace

std::string_view name_of(NoiseDistribution distribution) { return known.name_of(distribution); }

std::vector<std::string> noise_distribution_names() { return known.names(); }

NoiseDistribution noise_distribution(std::string_view wanted) { return known.named(wanted); }

Noise::Noise(NoiseOptions const& options, Machine const& machine, NodeId node)
    : options_(options),
      type_(machine.type(node)),
      worker_factor_(type_.workers.size(), 1.0),
      has_run_(type_.durations.size(), 0) {
  if (options_.worker_speed_deviation == 0) return;
  for (std::size_t w = 0; w < worker_factor_.size(); ++w)
    worker_factor_[w] =
        lognormal_factor(options_.worker_speed_deviation,
                         uniform(options_.seed, Stream::worker, machine.first_worker[node.index()] + w));
}

double Noise::duration(std::uint32_t task, std::size_t kernel, std::uint32_t worker) {
  std::size_t const place = kernel * type_.workers.size() + worker;
  bool const first = std::exchange(has_run_[place], 1) == 0;
  return drawn(task, place) * worker_factor_[worker] * (first ? options_.first_execution_factor : 1.0);
}

double Noise::drawn(std::uint32_t task, std::size_t place) const {
  double const mean = type_.durations[place];
  double const deviation = options_.scale * type_.deviations[place];
  if (options_.distribution == NoiseDistribution::none) return mean;
  double const u = uniform(options_.seed, Stream::task, task);
  if (options_.distribution == NoiseDistribution::empirical)
    return empirical_duration(type_.samples[place], mean, options_.scale, u);
  if (deviation == 0) return mean;
  return mean * (options_.distribution == NoiseDistribution::normal ? normal_factor(deviation / mean, u)
                                                                    : lognormal_factor(deviation / mean, u));
}

}  // namespace factosim
