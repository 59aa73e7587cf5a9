#include "simulator/studies/calibration/variance_components.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace factosim {

namespace {

using SampleSpan = std::span<WorkerSample const>;

/// Calls `visit` with each sequence of samples that agree in a member.
template <class Member, class Visit>
void for_each_part(SampleSpan samples, Member member, Visit&& visit) {
  while (!samples.empty()) {
    auto const end = std::find_if(samples.begin(), samples.end(), [&](WorkerSample const& s) {
      return s.*member != samples.front().*member;
    });
    auto const size = static_cast<std::size_t>(end - samples.begin());
    visit(samples.first(size));
    samples = samples.subspan(size);
  }
}

double expected(SampleSpan samples) {
  double sum = 0;
  for (WorkerSample const& s : samples) sum += s.expected_s;
  return sum;
}

double factor(SampleSpan samples) {
  double measured = 0;
  for (WorkerSample const& s : samples) measured += s.measured_s;
  return measured / expected(samples);
}

/// A sum of squares, and what it is expected to be: noise + weight * variance.
struct SumOfSquares {
  double squares = 0, noise = 0, weight = 0;

  [[nodiscard]] double variance() const { return weight > 0 ? std::max(0.0, (squares - noise) / weight) : 0; }
  /// Adds one value of a mean with weights `w` out of `total`.
  void add(double w, double total, double difference, double noise_variance) {
    double const share = w * (1 - w / total);
    squares += w * difference * difference;
    noise += share * noise_variance;
    weight += share;
  }
};

double variance_of_workers(SampleSpan all) {
  SumOfSquares sum;
  for_each_part(all, &WorkerSample::run, [&](SampleSpan run) {
    double const total = expected(run), mean = factor(run);
    for (WorkerSample const& s : run) sum.add(s.expected_s, total, s.factor() - mean, s.factor_error());
  });
  return sum.variance();
}

/// Variance of the factor of a run by its workers and single executions.
double noise_of_run(SampleSpan run, double of_workers) {
  double const total = expected(run);
  double noise = 0;
  for (WorkerSample const& s : run)
    noise += std::pow(s.expected_s / total, 2) * (of_workers + s.factor_error());
  return noise;
}

}  // namespace

Variability estimate_variability(std::vector<WorkerSample> const& samples) {
  double const of_workers = variance_of_workers(samples);
  Variability out{.worker_deviation = std::sqrt(of_workers)};
  SumOfSquares between_runs;
  int fewest = std::numeric_limits<int>::max();
  for_each_part(SampleSpan(samples), &WorkerSample::group, [&](SampleSpan group) {
    double const total = expected(group), mean = factor(group);
    int runs = 0;
    for_each_part(group, &WorkerSample::run, [&](SampleSpan run) {
      ++runs;
      between_runs.add(expected(run), total, factor(run) - mean, noise_of_run(run, of_workers));
    });
    fewest = std::min(fewest, runs);
    out.degrees_of_freedom += runs - 1;
  });
  if (!samples.empty()) out.runs = fewest;
  if (out.degrees_of_freedom > 0) out.run_deviation = std::sqrt(between_runs.variance());
  return out;
}

}  // namespace factosim
