#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

/// Tasks that wait for one worker, with the running estimate of the date when it will have run them. Times
/// in seconds. Source: StarPU 1.4 `deque_modeling_policy_data_aware.c`, `fifo_queues.c`.
class ExpectedQueue {
 public:
  struct Entry {
    TaskId task;
    std::int32_t priority;
    double transfer;  // the part of the predicted transfer that does not overlap queued work
    double kernel;
  };

  /// Returns the earliest start of a task that is pushed now.
  [[nodiscard]] double end(double now) const { return std::max(start_, now) + queued_; }

  /// Returns the same for a task of that priority in a sorted queue: counts the tasks in the pipeline, and
  /// the kernels of the waiting tasks that run before it. Source: `fifo_queues.c`,
  /// starpu_st_fifo_taskq_get_exp_len_prev_task_list.
  [[nodiscard]] double end_before(double now, std::int32_t priority) const;

  /// Inserts the task after all others, or, if `sorted`, after those of the same or a higher priority.
  void push(Entry entry, double now, bool sorted);

  /// Removes and returns the first task, or, if `ready_first`, the task with the fewest bytes missing in
  /// `memory` among those of the first one's priority. Returns an invalid id if the queue is empty.
  TaskId pop(double now, bool ready_first, NodeView const& node, std::uint32_t memory);

  void started(TaskId task, double now);
  void finished(TaskId task, double now);

 private:
  [[nodiscard]] Entry& popped(TaskId task);
  [[nodiscard]] std::size_t best_ready(NodeView const& node, std::uint32_t memory) const;

  std::vector<Entry> waiting_;  // the next task last: removing it is cheap
  std::vector<Entry> popped_;   // in the worker's pipeline
  double start_ = 0;            // expected start of the first waiting task
  double queued_ = 0;           // expected work of the waiting tasks, and of popped ones until they start
  double pipeline_ = 0;         // expected work of started tasks and transfers of popped ones
};

}  // namespace factosim
