#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/base/core/compressed_rows.hpp"
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
/// on the node, or in the memory, that it came from. 8 bytes per task, 24 per message and copy.
/// O(n log n + tasks x workers of their kind on a node).
class Causes {
 public:
  /// `trace` must outlive this. A function of causes can be given a trace.
  Causes(Trace const& trace);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] Trace const& trace() const { return trace_; }
  /// Returns the known causes of a task that ran, without that of its worker: the latest first; those of
  /// one date in the order of `Cause::Kind`. Dates after the task's start (clocks may differ) are set to
  /// its start. Causes that began at or after the task's start are left out. O(accesses log transfers of
  /// a handle).
  [[nodiscard]] std::vector<Cause> of(TaskId t) const;
  /// Returns the causes including that of the worker. Among the workers of the task's kind (cores, GPUs) on
  /// its node that are idle when it starts, including its own, the one that has been idle for longest
  /// decides: the task could have started there. No such cause if one of them has run nothing yet. If
  /// nothing else is known of the task, only its own worker counts.
  [[nodiscard]] std::vector<Cause> of_with_worker(TaskId t) const;
  /// Returns the first of `of_with_worker`.
  [[nodiscard]] std::optional<Cause> latest(TaskId t) const;
  /// Returns the date at which the task was submitted, its predecessors had ended and its data were on its
  /// node. Returns its start if none of these dates is known.
  [[nodiscard]] double ready_s(TaskId t) const;
  /// Returns when the last copy of a handle arrived in a memory until a date; NaN if there was none.
  /// O(log copies).
  [[nodiscard]] double last_copy_s(MemoryNodeId memory, HandleId handle, double until_s) const;
  /// Returns the tasks that ran on a worker, in the order of their starts.
  [[nodiscard]] std::vector<TaskId> const& tasks_of(WorkerId w) const { return order_[w.index()]; }

 private:
  struct Arrival {
    double date, begin;  // of the transfer's end and start
    std::uint32_t destination, index;
  };
  /// Messages by node, or copies by memory, found by their handle.
  class Arrivals {
   public:
    /// `tiles`: false: nothing is known of the handles of tasks.
    template <class Transfer>
    Arrivals(std::vector<Transfer> const& transfers, bool tiles);
    /// Returns the last arrival of a handle at a destination until a date; null if there was none. An
    /// invalid handle stands for the transfers that name none.
    [[nodiscard]] Arrival const* last(std::uint32_t destination, HandleId handle, double until) const;
    [[nodiscard]] bool empty() const { return rows_.items.empty(); }
    [[nodiscard]] bool has_nameless() const { return !rows_.of(0).empty(); }

   private:
    static std::size_t row(HandleId handle) { return handle.valid() ? handle.index() + 1 : 0; }
    CompressedRows<Arrival> rows_;  // [1 + handles], the first without a handle; by destination, then date
  };

  void order_tasks();
  void find_idle_workers(std::vector<TaskId> const& tasks, std::vector<WorkerId> const& workers);
  /// Call `note(cause)` for each cause of a task: all but copies, copies, the worker.
  template <class Note>
  void each_before_copies(TaskId t, Note const& note) const;
  template <class Note>
  void each_copy(TaskId t, Note const& note) const;
  template <class Note>
  void worker(TaskId t, bool alone, Note const& note) const;
  template <class Note>
  void each_arrival(TaskId t, Arrivals const& arrivals, Cause::Kind kind, Note const& note) const;
  [[nodiscard]] bool may_have_come(TaskId t, Cause::Kind kind) const;

  Trace const& trace_;
  std::vector<std::vector<TaskId>> order_;  // [workers]
  std::vector<TaskId> longest_idle_;        // [tasks] last task of the worker of `of_with_worker`
  Arrivals messages_, copies_;
};

/// Returns the RAM of each node, the first of its memory nodes; invalid without one. [nodes]
[[nodiscard]] std::vector<MemoryNodeId> rams_of(Trace const& trace);

}  // namespace factosim
