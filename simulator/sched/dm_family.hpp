#pragma once

#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/sched/expected_queue.hpp"

namespace factosim {

/// The deque-model policies of StarPU: a ready task goes at once to the queue of the worker where it is
/// expected to end first, weighed against the data it must bring there:
///
///   fitness(w) = alpha (end(w) - min end) + beta transfer(w)
///                + gamma (energy(w) + idle energy of a longer run)
///   end(w)     = max(queue end of w, now + transfer(w)) + kernel(w)
///
/// The first worker with the minimum fitness wins. energy(w) is the worker's power times the kernel; where no
/// power is known the last term is 0. Source: StarPU 1.4 `deque_modeling_policy_data_aware.c`. The members of
/// the family differ only in these traits.
class DequeModelScheduler final : public Scheduler {
 public:
  struct Traits {
    bool data_aware;   // transfers count in the decision
    bool sorted;       // queues are kept by priority
    bool ready_first;  // pop prefers the task with the fewest bytes missing
    /// The queue end of a worker counts only the tasks that would stand before the new one.
    bool sorted_decision;
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
