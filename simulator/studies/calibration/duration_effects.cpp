#include "simulator/studies/calibration/duration_effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/trace_timings.hpp"
#include "simulator/studies/calibration/contradiction.hpp"

namespace factosim {

namespace {

std::optional<TimingSubject> subject_of(Trace const& trace, std::uint32_t t, TileSizes const& sizes) {
  auto const symbol = symbol_of(trace, trace.kernel[t]);
  auto const nb = symbol ? sizes.of(*symbol, data_of(trace, t)) : std::nullopt;
  if (!nb) return std::nullopt;
  Trace::Worker const& worker = trace.workers[trace.worker[t].index()];
  return TimingSubject{symbol->kernel, symbol->application, symbol->precision, timing_worker(worker), *nb};
}

}  // namespace

std::vector<int> busy_cores_at_start(Trace const& trace, std::vector<std::uint32_t> const& by_start) {
  std::vector<std::vector<std::size_t>> cores(trace.nodes.size());  // workers by node
  for (std::size_t w = 0; w < trace.workers.size(); ++w)
    if (trace.workers[w].device == Trace::Device::cpu) cores[trace.workers[w].node.index()].push_back(w);
  std::vector<double> busy_until(trace.workers.size(), 0.0);
  std::vector<int> out(trace.task_count(), 0);
  for (std::uint32_t const t : by_start) {
    if (!trace.ran(TaskId{t})) continue;
    std::size_t const worker = trace.worker[t].index();
    busy_until[worker] = trace.end_s[t];
    out[t] =
        static_cast<int>(std::ranges::count_if(cores[trace.workers[worker].node.index()], [&](std::size_t w) {
          return w == worker || busy_until[w] > trace.start_s[t];
        }));
  }
  return out;
}

void add_samples(KernelSamples& samples, Trace const& trace, std::size_t run,
                 std::vector<Finding>& findings) {
  std::vector<double> const seconds = kernel_seconds(trace);
  std::vector<std::uint32_t> order(trace.task_count());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t t) { return trace.start_s[t]; });
  std::vector<int> const busy_cores = busy_cores_at_start(trace, order);
  std::set<std::tuple<std::uint16_t, int, WorkerId>> warm;
  std::map<std::uint16_t, std::size_t> left_out;
  TileSizes const sizes = tile_sizes(trace);
  for (std::uint32_t const t : order) {
    if (!trace.worker[t].valid()) continue;
    auto const subject = subject_of(trace, t, sizes);
    if (!subject) {
      ++left_out[trace.kernel[t]];
      continue;
    }
    KernelExecutions& e = samples[*subject];
    bool const first = warm.insert({trace.kernel[t], subject->nb, trace.worker[t]}).second;
    (first ? e.first : e.later).push_back({{run, trace.worker[t]}, seconds[t], busy_cores[t]});
  }
  for (auto const& [kernel, count] : left_out)
    findings.push_back(
        {trace.source, 0,
         fmt::format("{} executions of {} are left out (its name or its data tell no tile size)", count,
                     trace.kernels[kernel].name)});
}

namespace {

using SampleSpan = std::span<WorkerSample const>;

/// Calls `visit` with each sequence of samples that agree in a member.
template <class Member, class Visit>
void for_each_part(SampleSpan samples, Member member, Visit&& visit) {
  while (!samples.empty()) {
    auto const end = std::ranges::find_if(
        samples, [&](auto value) { return value != samples.front().*member; }, member);
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

constexpr std::size_t enough = 10;   // executions at each end of the curve
constexpr double negligible = 0.01;  // relative change of durations from one end of the curve to the other

struct LogDuration {
  RunWorker by;
  double cores;  // busy
  double value;  // ln(seconds)
};

struct Mean {
  double count = 0, cores = 0, value = 0;
  void add(LogDuration const& d) {
    ++count;
    cores += (d.cores - cores) / count;
    value += (d.value - value) / count;
  }
};

struct Slope {
  double value = 0, variance = 0, freedom = 0;
};

/// The smallest and largest number of busy cores of a curve.
struct CoreLimits {
  int low, high;
};

/// Returns the numbers of busy cores at and beyond which there are enough executions; nullopt if they are one.
std::optional<CoreLimits> limits_of(std::vector<Execution> const& executions) {
  if (executions.size() < 2 * enough) return std::nullopt;
  std::vector<int> cores;
  for (Execution const& e : executions) cores.push_back(e.busy_cores);
  std::ranges::sort(cores);
  CoreLimits const limits{cores[enough - 1], cores[cores.size() - enough]};
  return limits.low < limits.high ? std::optional(limits) : std::nullopt;
}

/// The regression within the workers of each run.
class WithinWorkers {
 public:
  explicit WithinWorkers(std::vector<LogDuration> const& durations) {
    std::map<RunWorker, Mean> means;
    for (LogDuration const& d : durations) means[d.by].add(d);
    for (LogDuration const& d : durations) {
      Mean const& mean = means[d.by];
      centred_.push_back({d.cores - mean.cores, d.value - mean.value, 1 / mean.count});
    }
    for (Centred const& c : centred_) squares_ += c.cores * c.cores, products_ += c.cores * c.value;
    freedom_ = static_cast<double>(durations.size() - means.size()) - (squares_ > 0 ? 1 : 0);
  }

  /// Returns whether the executions tell their own variance.
  [[nodiscard]] bool tells_variance() const { return freedom_ > 0; }

  /// Returns the variance of ln(duration) of one execution.
  [[nodiscard]] double variance() const {
    double sum = 0;
    for (Centred const& c : centred_) sum += std::pow(residual(c), 2);
    return sum / freedom_;
  }

  /// Returns nullopt if each worker of each run saw one number of busy cores only.
  [[nodiscard]] std::optional<Slope> slope() const {
    if (squares_ == 0) return std::nullopt;
    double robust = 0;
    for (Centred const& c : centred_) {
      double const free = 1 - c.share - c.cores * c.cores / squares_;  // 1 - leverage
      if (free > 1e-9) robust += std::pow(c.cores * residual(c) / free, 2);
    }
    return Slope{value(), std::max(variance() / squares_, robust / (squares_ * squares_)), freedom_};
  }

 private:
  struct Centred {
    double cores, value;  // less the mean of the worker in the run
    double share;         // of one execution in that mean
  };
  [[nodiscard]] double value() const { return squares_ > 0 ? products_ / squares_ : 0; }
  [[nodiscard]] double residual(Centred const& c) const { return c.value - value() * c.cores; }

  std::vector<Centred> centred_;
  double squares_ = 0, products_ = 0;
  double freedom_ = 0;
};

/// Returns the mean variance of a run's mean by its workers and single executions.
double noise_of_runs(std::vector<LogDuration> const& durations, std::map<std::size_t, Mean> const& runs,
                     double of_workers, double of_one) {
  std::map<RunWorker, double> counts;
  for (LogDuration const& d : durations) ++counts[d.by];
  double sum = 0;
  for (auto const& [run, mean] : runs) sum += of_one / mean.count;
  for (auto const& [by, count] : counts) sum += of_workers * std::pow(count / runs.at(by.run).count, 2);
  return sum / static_cast<double>(runs.size());
}

/// Returns the slope between the means of runs; nullopt if they do not differ in busy cores.
std::optional<Slope> slope_between_runs(std::vector<LogDuration> const& durations, double of_workers,
                                        double of_one) {
  std::map<std::size_t, Mean> runs;
  for (LogDuration const& d : durations) runs[d.by.run].add(d);
  Mean all;
  for (auto const& [run, mean] : runs) all.add({{}, mean.cores, mean.value});
  double squares = 0, products = 0;
  for (auto const& [run, mean] : runs) {
    squares += std::pow(mean.cores - all.cores, 2);
    products += (mean.cores - all.cores) * (mean.value - all.value);
  }
  if (squares == 0) return std::nullopt;
  Slope out{.value = products / squares};
  double residuals = 0;
  for (auto const& [run, mean] : runs)
    residuals += std::pow(mean.value - all.value - out.value * (mean.cores - all.cores), 2);
  double const expected = repeatable * repeatable + noise_of_runs(durations, runs, of_workers, of_one);
  out.freedom = repeatable_weight + static_cast<double>(runs.size()) - 2;
  out.variance = (repeatable_weight * expected + residuals) / out.freedom / squares;
  return out;
}

/// Returns the mean of both, weighted by the inverse of their variances.
Slope combined(std::optional<Slope> const& a, std::optional<Slope> const& b) {
  if (!a || !b) return a ? *a : b.value_or(Slope{});
  if (a->variance == 0) return *a;
  double const of_a = 1 / a->variance, of_b = 1 / b->variance, sum = of_a + of_b;
  return {.value = (of_a * a->value + of_b * b->value) / sum,
          .variance = 1 / sum,
          .freedom = sum * sum / (of_a * of_a / a->freedom + of_b * of_b / b->freedom)};
}

bool is_rise(Slope const& slope, CoreLimits const& limits, double error_probability) {
  if (slope.value * (limits.high - limits.low) < negligible) return false;
  return slope.variance == 0 ||
         student_tail(slope.value / std::sqrt(slope.variance), slope.freedom) < error_probability;
}

Slowdown curve_of(double slope, CoreLimits const& limits, std::vector<Execution> const& executions) {
  double mean = 0;
  for (Execution const& e : executions)
    mean += std::exp(slope * std::clamp(e.busy_cores, limits.low, limits.high)) /
            static_cast<double>(executions.size());
  Slowdown out;
  for (int cores = limits.low; cores <= limits.high; ++cores)
    out.points.push_back({cores, std::exp(slope * cores) / mean});
  return out;
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
  std::ranges::stable_sort(samples, {}, [](WorkerSample const& s) { return std::pair(s.group, s.run); });
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

Slowdown fit_slowdown(std::vector<Execution> const& executions, double worker_deviation,
                      double error_probability) {
  auto const limits = limits_of(executions);
  if (!limits) return {};
  std::vector<LogDuration> durations;
  for (Execution const& e : executions)
    if (e.seconds > 0) durations.push_back({e.by, static_cast<double>(e.busy_cores), std::log(e.seconds)});
  WithinWorkers const within(durations);
  if (!within.tells_variance()) return {};
  Slope const slope = combined(
      within.slope(), slope_between_runs(durations, worker_deviation * worker_deviation, within.variance()));
  return is_rise(slope, *limits, error_probability) ? curve_of(slope.value, *limits, executions) : Slowdown{};
}

}  // namespace factosim
