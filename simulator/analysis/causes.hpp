#pragma once

#include <cstdint>
#include <vector>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Something that had to be before a task could start.
struct Cause {
  enum class Kind : std::uint8_t {
    submission,   // of the task
    predecessor,  // a task that it depends on has ended
    message,      // one of its data has arrived on its node
    copy,         // one of its data has arrived in the memory of its worker
    worker,       // a task has ended since when a worker of that kind is idle on its node
  };
  Kind kind;
  double date;          // seconds
  std::uint32_t index;  // a task, message or copy of the trace; the task itself for its submission
};

/// Why tasks started no earlier, from a trace. Of the messages that brought a handle to a node, and of the
/// copies that brought it into a memory, a task used the last one that arrived before it started.
/// Takes 8 bytes per task, message and copy. O(n log n).
class Causes {
 public:
  /// `trace` must outlive this.
  explicit Causes(Trace const& trace);

  /// Of a task that ran, those that are known, the latest first; at one date in the order of `Cause::Kind`.
  /// None is later than the task's start: dates beyond it, as clocks that differ give, are cut there. Causes
  /// that began at or after the task's start are left out, and so is the worker's. The result is valid until
  /// the next call. O(accesses log transfers).
  [[nodiscard]] std::vector<Cause> const& of(TaskId t);
  /// The same with that of the worker. Of the workers of the task's kind (cores, GPUs) on its node that are
  /// idle when it starts, its own included, the one that has been idle for longest counts: the task could
  /// have started there. None where one of them has run nothing yet. Where nothing else is known of the task,
  /// its own worker alone counts. O(workers of the node log tasks) more.
  [[nodiscard]] std::vector<Cause> const& of_with_worker(TaskId t);
  /// When the task was submitted and the last of its predecessors had ended and its data were on its node;
  /// its start where nothing of that is known.
  [[nodiscard]] double ready_s(TaskId t);
  /// Tasks of a worker that ran, in the order of their starts.
  [[nodiscard]] std::vector<TaskId> const& tasks_of(WorkerId w) const { return order_[w.index()]; }
  /// Whether the task ran on a worker and both dates are known.
  [[nodiscard]] bool ran(TaskId t) const;

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
  void add_worker(TaskId t);
  /// The last task of a worker that started before a date; none, if there is none.
  [[nodiscard]] TaskId last_before(WorkerId w, double date) const;
  void sort();
  void add(Cause::Kind kind, double date, double begin, std::uint32_t index, double start);

  Trace const& trace_;
  std::vector<std::vector<TaskId>> order_;    // [workers]
  std::vector<std::vector<WorkerId>> alike_;  // [nodes x 2] workers of each kind
  std::vector<Arrival> messages_, copies_;    // sorted by key, then date
  std::vector<Cause> causes_;                 // of the task asked for last
};

}  // namespace factosim
