#include "simulator/studies/calibration/speed_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "simulator/base/core/sample.hpp"

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

namespace {

using Durations = std::map<RunWorker, std::vector<double>>;

Durations by_worker(std::vector<Execution> const& executions) {
  Durations out;
  for (Execution const& e : executions) out[e.by].push_back(e.seconds);
  return out;
}

/// Variance of one execution within a worker and run, in s^2.
double variance_within(Durations const& durations) {
  double squares = 0, freedom = 0;
  for (auto const& [by, seconds] : durations) {
    squares += moments(seconds).squares;
    freedom += static_cast<double>(seconds.size()) - 1;
  }
  return freedom > 0 ? squares / freedom : 0;
}

/// Numbers runs that share kernels, directly or through other runs, alike.
class RunGroups {
 public:
  void join(Durations const& durations) {
    std::size_t const first = durations.begin()->first.run;
    for (auto const& [by, seconds] : durations) {
      std::size_t const from = group_of(by.run), to = group_of(first);
      for (auto& [run, group] : groups_)
        if (group == from) group = to;
    }
  }
  std::size_t group_of(std::size_t run) { return groups_.try_emplace(run, run).first->second; }

 private:
  std::map<std::size_t, std::size_t> groups_;
};

}  // namespace

SpeedFactors::SpeedFactors(std::vector<std::vector<Execution>> const& kernels) {
  std::map<RunWorker, WorkerSample> sums;
  RunGroups groups;
  for (auto const& executions : kernels) {
    Durations const durations = by_worker(executions);
    if (durations.size() < 2) continue;
    groups.join(durations);
    double const within = variance_within(durations);
    double mean = 0;
    for (Execution const& e : executions) mean += e.seconds / static_cast<double>(executions.size());
    for (auto const& [by, seconds] : durations) {
      auto const n = static_cast<double>(seconds.size());
      WorkerSample& s = sums[by];
      s.run = by.run;
      s.expected_s += n * mean;
      for (double const measured : seconds) s.measured_s += measured;
      s.error_s2 += n * within;
    }
  }
  std::vector<WorkerSample> samples;
  for (auto& [by, s] : sums) {
    s.group = groups.group_of(by.run);
    samples.push_back(s);
  }
  std::stable_sort(samples.begin(), samples.end(), [](WorkerSample const& a, WorkerSample const& b) {
    return std::pair(a.group, a.run) < std::pair(b.group, b.run);
  });
  variability_ = estimate_variability(samples);
  double const of_workers = variability_.worker_deviation, of_runs = variability_.run_deviation.value_or(0);
  double const common = of_workers * of_workers + of_runs * of_runs;
  if (common == 0) return;
  for (auto const& [by, s] : sums) factors_[by] = 1 + common / (common + s.factor_error()) * (s.factor() - 1);
}

double SpeedFactors::factor(RunWorker const& by) const {
  auto const found = factors_.find(by);
  return found == factors_.end() ? 1 : found->second;
}

}  // namespace factosim
