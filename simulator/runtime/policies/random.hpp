#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// Draws the worker of a ready task at random among those that can run it, a GPU 26.66 times as often as a
/// core (StarPU's relative speeds are 13.33 and 0.5). Queues are first in first out; inputs are not
/// prefetched. Source: StarPU 1.4 `random_policy.c`; the seed is that of the scenario.
class RandomScheduler final : public Scheduler {
 public:
  RandomScheduler(std::uint64_t seed, NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return false; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

 private:
  NodeView const& node_;
  std::mt19937_64 generator_;
  std::vector<std::deque<TaskId>> queues_;  // [workers]
};

}  // namespace factosim
