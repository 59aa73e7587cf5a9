#pragma once

#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/expected_queue.hpp"

namespace factosim {

/// The deque-model policies of StarPU. A ready task goes at once to the queue of the worker w with the least
/// fitness, the first among equals:
///
///   fitness(w) = alpha (end(w) - min end) + beta transfer(w) + gamma (energy(w) + idle energy(w))
///   end(w)     = max(queue end of w, now + transfer(w)) + kernel(w)
///
/// energy(w) is the power of the worker times the duration of the kernel, idle energy(w) that of the idle
/// machine while the task makes the run longer; both are 0 where no power is known. The members of the family
/// differ in their traits. Source: StarPU 1.4 `deque_modeling_policy_data_aware.c`.
class DequeModelScheduler final : public Scheduler {
 public:
  struct Traits {
    bool data_aware = false;   // transfers count in the decision
    bool sorted = false;       // queues are ordered by priority
    bool ready_first = false;  // pop prefers the task with the fewest bytes missing
    /// The queue end of a worker counts only the tasks that would be before the new one.
    bool sorted_decision = false;
  };

  DequeModelScheduler(Traits traits, SchedulerOptions const& options, NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  void started(LocalWorker worker, TaskId task) override {
    queues_[worker.index()].started(task, node_.now().value);
  }
  void finished(LocalWorker worker, TaskId task) override {
    queues_[worker.index()].finished(task, node_.now().value);
  }
  void planned(LocalMemory memory, std::vector<TaskId>& tasks) const override;
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return false; }
  [[nodiscard]] bool knows_priorities() const override { return traits_.sorted; }

 private:
  [[nodiscard]] LocalWorker best_worker(TaskId task, std::span<double const> durations, double now);

  Traits traits_;
  SchedulerOptions options_;
  NodeView const& node_;
  std::vector<ExpectedQueue> queues_;  // [workers]
  std::vector<double> transfers_;      // [memory nodes] scratch
  std::vector<double> ends_;           // [workers] scratch
  bool knows_powers_;
};

}  // namespace factosim
