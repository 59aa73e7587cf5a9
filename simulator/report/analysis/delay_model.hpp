#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/report/analysis/causes.hpp"
#include "simulator/report/analysis/run_summary.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Durations of the tasks of two runs that have no difference left between the runs: the mean of the two
/// means of the kernel, on data of one shape, on the same node and kind of worker; otherwise its own mean, scaled
/// by as much as the means on the same resource change; otherwise that of the only run that has it. If the runs
/// have different numbers of tasks of a kernel (other tiles, another size), the sum of its durations is made
/// equal instead of their mean.
class CommonDurations {
 public:
  CommonDurations(std::array<Trace const*, 2> traces, bool by_type);

  /// [tasks] seconds; 0 for tasks that did not run.
  [[nodiscard]] std::vector<double> const& of_run(std::size_t run) const { return durations_[run]; }
  /// [tasks] seconds: the mean in the run itself.
  [[nodiscard]] std::vector<double> const& means_of_run(std::size_t run) const { return means_[run]; }
  /// Returns the common duration, in a run, of a kernel on a resource, over all nodes; infinite if no run has it.
  [[nodiscard]] double of_kernel(std::size_t run, KernelOn const& kernel) const;
  /// Returns true if a kernel that both runs have on a resource, on data of the same shapes, has means that differ
  /// by more than 0.2 % and three standard errors.
  [[nodiscard]] bool means_differ() const { return means_differ_; }
  /// The same of the deviations of single tasks from the means, by more than 1 % of the mean.
  [[nodiscard]] bool deviations_differ() const { return deviations_differ_; }
  /// Returns true if the runs have different numbers of tasks of a kernel.
  [[nodiscard]] bool tasks_differ() const { return tasks_differ_; }

  /// Kernel and resource of each task, by which differences are reported.
  [[nodiscard]] std::vector<KernelOn> const& classes() const { return classes_; }
  /// [tasks] index into classes().
  [[nodiscard]] std::vector<std::uint32_t> const& class_of(std::size_t run) const { return class_[run]; }

 private:
  struct Sample {
    double sum = 0, squares = 0;
    std::uint64_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
    [[nodiscard]] double deviation() const;
    void add(double x) { sum += x, squares += x * x, ++count; }
  };
  using Pair = std::array<Sample, 2>;                                     // of both runs
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // class, node, shape of the data

  void classify(Trace const& trace, std::size_t run, bool by_type);
  [[nodiscard]] Place place_of(Trace const& trace, TaskId t, std::uint32_t of_class) const;
  void compare();
  void set_durations(Trace const& trace, std::size_t run);
  [[nodiscard]] double common(Pair const& pair, double other_tasks, std::size_t run) const;

  bool same_nodes_, same_kernels_, means_differ_ = false, deviations_differ_ = false, tasks_differ_ = false;
  std::map<KernelOn, std::uint32_t> index_;
  std::vector<KernelOn> classes_;
  std::array<std::vector<std::uint32_t>, 2> class_;  // [tasks]
  std::vector<Pair> by_class_;                       // [classes]
  std::map<Place, Pair> by_place_;
  std::map<std::string, std::array<double, 2>> tasks_;    // of each kernel
  std::array<std::vector<double>, 2> durations_, means_;  // [tasks]
};

/// [tasks] seconds in a run, with and without what single tasks deviate, and what the means of their kernels differ.
/// Rounding does not count.
struct SeparateDurations {
  std::vector<double> common, means, deviating;  // the last: deviations from common means
  bool same_means, no_deviations;

  SeparateDurations(Trace const& trace, CommonDurations const& durations, std::size_t run);
};

/// Which delays count in the dates of a run.
struct Delays {
  bool durations = true;    // what tasks lasted, instead of a common duration of their kernel
  bool messages = true;     // from the end of the task that wrote a tile to its arrival on another node
  bool copies = true;       // a copy into the memory of the worker, or to the RAM before a message
  bool overhead = true;     // submission, and the time between the last known event and the start
  bool unexplained = true;  // the same time if the trace has no dependencies
};
constexpr Delays no_delays{false, false, false, false, false};

/// The dates of a run as longest paths, from which kinds of delays can be removed. Each task starts after
/// its predecessors, its messages (counted from the end of the task that wrote the tile), its submission,
/// and the task before it on its worker. What its start comes later is a wait for a copy or for a message
/// that names no tile, or overhead. With all delays the dates are those of the run. Without, the workers
/// still run the same tasks in the same order. O(n log n) to build, O(tasks + dependencies) to evaluate.
class DelayModel {
 public:
  /// Seconds are counted from `origin_s`. The arguments must outlive the construction only.
  DelayModel(Trace const& trace, Causes const& causes, double origin_s);

  /// Returns the makespan in seconds with the delays of `kept`. `durations`: [tasks] seconds that replace
  /// those of the run if `durations` are not kept.
  [[nodiscard]] double makespan(Delays kept, std::span<double const> durations) const;

 private:
  static constexpr std::uint32_t none = TaskId::none;

  /// The start of a step comes after the end of an earlier one.
  struct Edge {
    std::uint32_t step;
    std::uint32_t lag;  // index into lags_; none: 0
  };
  /// `early`: negative if the recorded dates violate the dependency.
  struct Lag {
    double early, message, copy;
  };
  /// The submission of a task comes after that of the task before on its node, and after a barrier.
  struct Submission {
    std::uint32_t before = none, barrier = none;  // steps
    double gap_s = 0;                             // after the later one
  };
  /// A task that ran, in order of start.
  struct Step {
    TaskId task;
    std::uint32_t edge_end = 0;  // its edges end there, in edges_
    double duration_s = 0;
    double message_s = 0, copy_s = 0, overhead_s = 0, unexplained_s = 0;  // after the last edge
  };

  class Builder;

  std::vector<Step> steps_;
  std::vector<Edge> edges_;
  std::vector<Lag> lags_;
  std::vector<std::uint32_t> submission_order_;  // steps whose submission is known, by date
  std::vector<Submission> submissions_;          // [steps]; empty: no submission is known
};

}  // namespace factosim
