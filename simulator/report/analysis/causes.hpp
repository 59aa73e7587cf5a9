#pragma once

#include <cstdint>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// An event that a task had to wait for.
struct Cause {
  enum class Kind : std::uint8_t {
    submission,   // of the task
    predecessor,  // a task that it depends on has ended
    message,      // one of its data has arrived on its node
    copy,         // one of its data has arrived in the memory of its worker
    worker,       // a task has ended, after which a worker of that kind on its node was idle
  };
  Kind kind;
  double date;          // seconds
  std::uint32_t index;  // a task, message or copy of the trace; the task itself for its submission
};

/// Finds in a trace the events that tasks waited for. If several messages brought a handle to a node, or
/// several copies brought it into a memory, the task used the last one that arrived before it started. A
/// message or copy that names no tile counts for the tasks that it may have served: those with a predecessor
/// on the node, or in the memory, that it came from. 8 bytes per task, message and copy. O(n log n).
class Causes {
 public:
  /// `trace` must outlive this.
  explicit Causes(Trace const& trace);

  /// Returns the known causes of a task that ran, without that of its worker: the latest first; those of
  /// one date in the order of `Cause::Kind`. Dates after the task's start (clocks may differ) are set to
  /// its start. Causes that began at or after the task's start are left out. The result is valid until the
  /// next call. O(accesses log transfers).
  [[nodiscard]] std::vector<Cause> const& of(TaskId t);
  /// Returns the causes including that of the worker. Among the workers of the task's kind (cores, GPUs) on
  /// its node that are idle when it starts, including its own, the one that has been idle for longest
  /// decides: the task could have started there. No such cause if one of them has run nothing yet. If
  /// nothing else is known of the task, only its own worker counts. Costs O(workers of the node log tasks)
  /// more.
  [[nodiscard]] std::vector<Cause> const& of_with_worker(TaskId t);
  /// Returns the date at which the task was submitted, its predecessors had ended and its data were on its
  /// node. Returns its start if none of these dates is known.
  [[nodiscard]] double ready_s(TaskId t);
  /// Returns when the last copy of a handle arrived in a memory until a date; NaN if there was none.
  /// O(log copies).
  [[nodiscard]] double last_copy_s(MemoryNodeId memory, HandleId handle, double until_s) const;
  /// Returns the tasks that ran on a worker, in the order of their starts.
  [[nodiscard]] std::vector<TaskId> const& tasks_of(WorkerId w) const { return order_[w.index()]; }

 private:
  struct Arrival {
    std::uint64_t key;  // destination and handle
    double date;
    std::uint32_t index;
  };
  static std::uint64_t key(std::uint32_t destination, HandleId handle) {
    return std::uint64_t{destination} << 32U | handle.value();
  }
  void add_last_arrival(std::vector<Arrival> const& arrivals, std::uint64_t key, Cause::Kind kind,
                        double start);
  void add_arrivals(TaskId t);
  void add_arrivals_without_tile(TaskId t);
  [[nodiscard]] static Arrival const* last_arrival(std::vector<Arrival> const& arrivals, std::uint64_t key,
                                                   double until);
  void add_worker(TaskId t);
  /// Returns the last task of a worker that started before a date, or an invalid id.
  [[nodiscard]] TaskId last_before(WorkerId w, double date) const;
  void sort();
  void add(Cause::Kind kind, double date, double begin, std::uint32_t index, double start);

  Trace const& trace_;
  std::vector<std::vector<TaskId>> order_;    // [workers]
  std::vector<std::vector<WorkerId>> alike_;  // [nodes x 2] workers of each kind
  std::vector<Arrival> messages_, copies_;    // sorted by key, then date; those without a tile have no handle
  std::vector<Cause> causes_;                 // of the last task asked for
};

/// Returns the RAM of each node, the first of its memory nodes; invalid without one. [nodes]
[[nodiscard]] std::vector<MemoryNodeId> rams_of(Trace const& trace);

}  // namespace factosim
