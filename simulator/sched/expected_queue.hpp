#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

/// The tasks waiting for one worker, with StarPU's running estimate of the date at which it will have
/// finished them (`deque_modeling_policy_data_aware.c`, `fifo_queues.c`). Times in seconds.
class ExpectedQueue {
 public:
  struct Entry {
    TaskId task;
    std::int32_t priority;
    double transfer;  // the part of the predicted transfer that the queue does not hide
    double kernel;
  };

  /// When a task pushed now could start at the earliest.
  [[nodiscard]] double end(double now) const { return std::max(start_, now) + queued_; }

  /// The same for a task of that priority: counts the tasks in the pipeline, and the kernels of the waiting
  /// tasks that it would not overtake (fifo_queues.c, starpu_st_fifo_taskq_get_exp_len_prev_task_list).
  [[nodiscard]] double end_before(double now, std::int32_t priority) const;

  /// Behind all tasks (`sorted` false), or behind those of the same or a higher priority.
  void push(Entry entry, double now, bool sorted);

  /// First in, first out; or, with `ready_first`, the task with the fewest bytes missing in `memory` among
  /// those of the first one's priority or higher. An invalid id when the queue is empty.
  TaskId pop(double now, bool ready_first, NodeView const& node, std::uint32_t memory);

  void started(TaskId task, double now);
  void finished(TaskId task, double now);

 private:
  [[nodiscard]] Entry& popped(TaskId task);
  [[nodiscard]] std::size_t best_ready(NodeView const& node, std::uint32_t memory) const;

  std::vector<Entry> waiting_;  // next task last, so that taking it is cheap
  std::vector<Entry> popped_;   // in the worker's pipeline
  double start_ = 0;            // when the first waiting task is expected to start
  double queued_ = 0;           // expected work of the waiting tasks, and of popped ones until they start
  double pipeline_ = 0;         // expected work of started tasks and transfers of popped ones
};

}  // namespace factosim
