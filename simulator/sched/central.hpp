#pragma once

#include <cstdint>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// One queue for the whole node; a worker takes the first task that it can run. With `by_priority` the queue
/// is kept by priority, first in first out among equals.
/// Source: StarPU 1.4 `eager_central_policy.c` (eager) and `eager_central_priority_policy.c` (prio).
class CentralScheduler final : public Scheduler {
 public:
  CentralScheduler(bool by_priority, NodeView const& node);

  std::uint32_t push(TaskId task, std::uint32_t pusher) override;
  TaskId pop(std::uint32_t worker) override;
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return by_priority_; }

 private:
  struct Entry {
    std::int32_t priority;
    std::uint32_t sequence;
    TaskId task;
  };
  /// Tasks that the same set of workers can run.
  struct Lane {
    std::vector<bool> runs_on;  // [workers]
    std::vector<Entry> heap;    // the next task on top
  };

  [[nodiscard]] Lane& lane_of(TaskId task);

  bool by_priority_;
  NodeView const& node_;
  std::vector<Lane> lanes_;
  std::uint32_t sequence_ = 0;
};

}  // namespace factosim
