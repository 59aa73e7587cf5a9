#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

/// The tasks waiting for one worker, with StarPU's running estimate of when the worker will have run them.
/// Times in seconds. Source: StarPU 1.4 `deque_modeling_policy_data_aware.c`, `fifo_queues.c`.
class ExpectedQueue {
 public:
  struct Entry {
    TaskId task;
    std::int32_t priority;
    double transfer;  // the part of the predicted transfer that does not overlap queued work
    double kernel;
  };

  /// First in, first out; or by priority, first in, first out among equals.
  enum class Order : std::uint8_t { fifo, priority };

  /// The earliest start of a task that is pushed now.
  [[nodiscard]] double end(double now) const { return std::max(start_, now) + queued_; }

  /// The same for a task of that priority: counts the tasks in the pipeline, and the kernels of the waiting
  /// tasks that it would not overtake (starpu_st_fifo_taskq_get_exp_len_prev_task_list).
  [[nodiscard]] double end_before(double now, std::int32_t priority) const;

  void push(Entry entry, double now, Order order);

  /// Removes and returns the first task; an invalid id if the queue is empty.
  TaskId pop(double now) { return take(now, waiting_.size() - 1); }
  /// The same for the task with the fewest bytes missing in `memory` among those whose priority is at least
  /// that of the first.
  TaskId pop_most_ready(double now, NodeView const& node, LocalMemory memory) {
    return take(now, best_ready(node, memory));
  }

  /// Appends the waiting tasks, the first one first.
  void append_waiting(std::vector<TaskId>& tasks) const {
    for (auto entry = waiting_.rbegin(); entry != waiting_.rend(); ++entry) tasks.push_back(entry->task);
  }

  void started(TaskId task, double now);
  void finished(TaskId task, double now);

 private:
  [[nodiscard]] Entry& popped(TaskId task);
  [[nodiscard]] std::size_t best_ready(NodeView const& node, LocalMemory memory) const;
  /// `index`: into `waiting_`; not used if that is empty.
  TaskId take(double now, std::size_t index);

  std::vector<Entry> waiting_;  // the next task last: removing it is cheap
  std::vector<Entry> popped_;   // in the worker's pipeline
  double start_ = 0;            // expected start of the first waiting task
  double queued_ = 0;           // expected work of the waiting tasks, and of popped ones until they start
  double pipeline_ = 0;         // expected work of started tasks and transfers of popped ones
};

}  // namespace factosim
