#pragma once

#include <cstdint>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/base/core/priority_fifo.hpp"

namespace factosim {

/// One queue for the whole node; a worker takes the first task that it can run.
/// Source: StarPU 1.4 `eager_central_policy.c` (eager) and `eager_central_priority_policy.c` (prio).
class CentralScheduler final : public Scheduler {
 public:
  /// First in, first out; or by priority, first in, first out among equals.
  enum class Order : std::uint8_t { fifo, priority };

  CentralScheduler(Order order, NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return order_ == Order::priority; }

 private:
  /// Tasks that the same set of workers can run.
  struct Lane {
    std::vector<bool> runs_on;  // [workers]
    PriorityFifo<TaskId> tasks;
  };

  [[nodiscard]] Lane& lane_of(TaskId task);

  Order order_;
  NodeView const& node_;
  std::vector<Lane> lanes_;
  std::uint32_t next_ticket_ = 0;
};

}  // namespace factosim
