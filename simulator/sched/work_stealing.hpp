#pragma once

#include <cstdint>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/sched/priority_list.hpp"

namespace factosim {

/// Queues a ready task on the worker that made it ready; a worker without tasks steals one.
///
/// - Push: to the worker that ran the last predecessor, if it can run the task; else round robin over the
///   workers that can. Wakes all workers.
/// - Pop: the most urgent task of the own queue, first in first out among equals. Else steals, round robin,
///   from the first worker that has tasks and that found one at its last pop: its most urgent task, last in
///   first out among equals.
///
/// Source: StarPU 1.4 `work_stealing_policy.c` (ws). `lws` differs only in a list of neighbours from the
/// machine's topology; without it, as in StarPU's simulation, both are the same.
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
    bool busy = false;              // it found a task at its last pop
    std::uint32_t next_victim = 0;  // the first worker to try
  };

  [[nodiscard]] bool can_run(std::uint32_t worker, TaskId task) const;
  /// Returns the first worker to steal from, or the number of workers if there is none.
  [[nodiscard]] std::uint32_t select_victim(std::uint32_t thief);

  NodeView const& node_;
  std::vector<PerWorker> workers_;
  std::uint32_t last_pushed_ = 0;
};

}  // namespace factosim
