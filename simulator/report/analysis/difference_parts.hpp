#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/report/analysis/run_summary.hpp"
#include "simulator/report/analysis/trace_differences.hpp"

namespace factosim {

/// A run to take apart; `origin_s` in the time of its trace.
struct TracedRun {
  Trace const& trace;
  double origin_s, makespan_s;
};

/// A cause of the difference of two makespans.
enum class DifferenceCause : std::uint8_t {
  kernels,        // the means of kernels differ, or there are more tasks
  deviations,     // of single tasks from the means of their kernels
  between_nodes,  // other tasks on a node: the map of the tiles, or other nodes
  within_node,    // other workers on a node
  messages,       // from the end of the task that wrote a tile to its arrival on another node
  copies,         // between memories of a node
  overhead,       // of the runtime system: submission, and before each task
  order,          // another worker or another order for the tasks of a node: policy, priorities
  unexplained,
};
constexpr std::size_t difference_causes = 9;
using DifferenceCauseSet = std::bitset<difference_causes>;
[[nodiscard]] char const* name_of(DifferenceCause cause);

/// What is known of two simulated runs besides their traces.
struct KnownDifferences {
  std::vector<std::string> options;  // JSON pointers of the options that differ
  DifferenceCauseSet causes;         // that these options can change directly
  bool platform = true;              // the timings, buses or memories of the machines may differ too
};

/// The difference of the makespans of two runs (second minus first) by cause.
///
/// Each run is taken apart into the shares of the means of kernels (beyond those common to both runs), of what single
/// tasks deviate from them, messages, copies and overhead, and the time of the tasks in the run's own order on its
/// own workers. The difference of the latter
/// counts for the only one of map, workers and order that differs; for several, the area bound of the most
/// loaded node and the work of the most loaded worker tell them apart. The parts of a run add up to its
/// makespan, so the differences add up to that of the makespans.
struct DifferenceParts {
  struct Part {
    double a_s = 0, b_s = 0;   // in each run; NaN for between_nodes, within_node and order, where only ...
    double measured_s = 0;     // ... the difference is known
    double on_chains_s = 0;    // of the difference of the critical chains
    double seconds = 0;        // as measured, with what follows from other causes counted for these
    double chain_seconds = 0;  // the same of the chains
  };

  std::array<Part, difference_causes> parts;  // by DifferenceCause
  std::map<KernelOn, double> kernels;  // seconds of the difference, if its durations alone are common ones
  bool other_kernel_times = false;     // means of kernels on the same resource
  bool other_deviations = false;       // of single tasks from these means
  bool other_tasks = false;            // numbers of tasks of a kernel
  TraceDifferences traces;
  double node_bound_s = 0;   // difference of the area bounds of the most loaded nodes, with common durations
  double worker_load_s = 0;  // difference of the work of the most loaded workers, likewise
  std::optional<KnownDifferences> known;
  bool order_may_delay_messages = false;  // the network is as fast in both runs, and no cause is visible

  [[nodiscard]] Part const& of(DifferenceCause cause) const { return parts[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] double sum() const;
  /// Returns the causes that changed the makespan most in the direction of the change: the largest, and
  /// those of at least 80 % of it. Empty if the makespans are equal (relative 1e-9 of `makespan_s`).
  [[nodiscard]] std::vector<DifferenceCause> main(double makespan_s) const;
  /// Returns the cause that the critical chains name instead of the main one, which makes up less than half as much
  /// there: the runs do not tell which of them it is. Nothing if both accounts agree.
  [[nodiscard]] std::optional<DifferenceCause> not_separable_from(double makespan_s) const;
};

/// Computes the causes of the difference. `by_type` as in `summarize_run`; `on_chains`: seconds of the difference of
/// the critical chains by cause, what map, workers and order cause together as that of the order. O(n log n).
[[nodiscard]] DifferenceParts difference_parts(TracedRun const& a, TracedRun const& b, bool by_type,
                                               std::optional<KnownDifferences> known,
                                               std::array<double, difference_causes> const& on_chains);

}  // namespace factosim
