#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// Ready tasks in one queue per kernel, by increasing acceleration: longest duration on a core / (shortest duration on a
/// GPU + 1 us), of the first task of the kernel. A kernel that no core can run is the most accelerated one, one that no
/// GPU can run the least. Source: StarPU 1.5 `hpbasic.c`, `hplookahead.c`.
class KernelQueues {
 public:
  struct Queue {
    std::uint32_t kernel = 0;
    double acceleration = 0;
    std::deque<TaskId> tasks;
  };

  explicit KernelQueues(NodeView const& node) : node_(node) {}

  /// Returns the queue of the task's kernel, which is made for its first task.
  Queue& of(TaskId task);
  /// By increasing acceleration; equal ones in the order of their first tasks.
  [[nodiscard]] std::vector<Queue>& queues() { return queues_; }
  [[nodiscard]] std::vector<Queue> const& queues() const { return queues_; }
  [[nodiscard]] std::size_t tasks() const;
  /// Returns the first queue with tasks, which there must be.
  [[nodiscard]] Queue& least_accelerated() {
    return *std::ranges::find_if(queues_, [](Queue const& q) { return !q.tasks.empty(); });
  }

  /// Removes and returns the first task of the queue if the worker can run it; else an invalid id.
  TaskId take(Queue& queue, LocalWorker worker) const;

 private:
  [[nodiscard]] double acceleration(TaskId task) const;

  NodeView const& node_;
  std::vector<Queue> queues_;
};

}  // namespace factosim
