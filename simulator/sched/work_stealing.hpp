#pragma once

#include <cstdint>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/sched/priority_list.hpp"

namespace factosim {

/// Queues a ready task on the worker that made it ready; a worker without tasks steals one.
///
/// - Push: to the worker whose task was the last predecessor, if it can run this one; else to the next one
///   that can, in turn. All idle workers are woken.
/// - Pop: the most urgent task of the own queue, first in, first out among equals. If that is empty, the most
///   urgent task, the last in among equals, of the next worker in cyclic order that has tasks and found one
///   when it last looked.
///
/// Source: StarPU 1.4 `work_stealing_policy.c` (ws). `lws` differs only in a list of neighbours from the
/// machine's topology; without it, as in StarPU's simulation, both are the same.
class WorkStealingScheduler final : public Scheduler {
 public:
  explicit WorkStealingScheduler(NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  struct PerWorker {
    PriorityList queue;
    bool busy = false;            // found a task when it last looked
    std::size_t next_victim = 0;  // first worker to look for tasks at
  };

  [[nodiscard]] bool can_run(LocalWorker worker, TaskId task) const;
  /// Returns the worker to steal from; an invalid id if there is none.
  [[nodiscard]] LocalWorker select_victim(LocalWorker thief);

  NodeView const& node_;
  std::vector<PerWorker> workers_;
  std::size_t last_pushed_ = 0;
};

}  // namespace factosim
