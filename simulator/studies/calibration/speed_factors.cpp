#include "simulator/studies/calibration/speed_factors.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "simulator/base/core/sample.hpp"
#include "simulator/studies/calibration/variance_components.hpp"

namespace factosim {

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
