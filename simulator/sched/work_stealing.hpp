#pragma once

#include <cstdint>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/sched/priority_list.hpp"

namespace factosim {

/// A ready task goes to the queue of the worker that made it ready; a worker without tasks steals.
///
/// - Push: to the worker whose task was the last predecessor, if it can run this one; otherwise to the next
///   one that can, round robin. All workers are notified.
/// - Pop: the most urgent task of the own queue, first in first out among equals. Otherwise, round robin,
///   from the first worker that has tasks and found one at its last attempt: its most urgent task, last in
///   first out among equals.
///
/// Source: StarPU 1.4 `work_stealing_policy.c` (ws). `lws` differs from it only in a list of neighbours made
/// from the machine's topology; without one, as in StarPU's simulation, it is the same.
class WorkStealingScheduler final : public Scheduler {
 public:
  explicit WorkStealingScheduler(NodeView const& node);

  std::uint32_t push(TaskId task, std::uint32_t pusher) override;
  TaskId pop(std::uint32_t worker) override;
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  struct PerWorker {
    PriorityList queue;
    bool busy = false;              // it found a task when it last looked
    std::uint32_t next_victim = 0;  // where to look first
  };

  [[nodiscard]] bool can_run(std::uint32_t worker, TaskId task) const;
  /// The first worker to steal from, or the number of workers.
  [[nodiscard]] std::uint32_t select_victim(std::uint32_t thief);

  NodeView const& node_;
  std::vector<PerWorker> workers_;
  std::uint32_t last_pushed_ = 0;
};

}  // namespace factosim
