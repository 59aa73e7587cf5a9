#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/report/analysis/causes.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

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
  DelayModel(Trace const& trace, Causes& causes, double origin_s);

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
