#pragma once

#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/sched/expected_queue.hpp"

namespace factosim {

/// The deque-model policies of StarPU. A ready task is queued on the worker w with the minimum
///
///   fitness(w) = alpha (end(w) - min end) + beta transfer(w) + gamma (energy(w) + idle_energy(w))
///   end(w)     = max(queue_end(w), now + transfer(w)) + kernel(w)
///
/// and the lowest number among equals. transfer(w) is the predicted time to bring the task's inputs,
/// energy(w) the worker's power times kernel(w), idle_energy(w) that of the idle machine while the task
/// makes the run longer; both energies are 0 where no power is known. Source: StarPU 1.4
/// `deque_modeling_policy_data_aware.c`. The members of the family differ only in their traits.
class DequeModelScheduler final : public Scheduler {
 public:
  struct Traits {
    bool data_aware = false;       // transfers count in the decision
    bool sorted = false;           // queues are kept by priority
    bool ready_first = false;      // pop prefers the task with the fewest bytes missing
    bool sorted_decision = false;  // queue_end(w) counts only the tasks that would run before the new one
  };

  DequeModelScheduler(Traits traits, SchedulerOptions const& options, NodeView const& node);

  std::uint32_t push(TaskId task, std::uint32_t pusher) override;
  TaskId pop(std::uint32_t worker) override;
  void started(std::uint32_t worker, TaskId task) override {
    queues_[worker].started(task, node_.now().value);
  }
  void finished(std::uint32_t worker, TaskId task) override {
    queues_[worker].finished(task, node_.now().value);
  }
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return false; }
  [[nodiscard]] bool knows_priorities() const override { return traits_.sorted; }

 private:
  [[nodiscard]] std::uint32_t best_worker(TaskId task, std::span<double const> durations, double now);

  Traits traits_;
  SchedulerOptions options_;
  NodeView const& node_;
  std::vector<ExpectedQueue> queues_;  // [workers]
  std::vector<double> transfers_;      // [memory nodes] scratch
  std::vector<double> ends_;           // [workers] scratch
};

}  // namespace factosim
