#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// What a policy that follows a recorded run has to know; spans are [tasks] of the whole cluster.
struct RecordedOrder {
  std::span<std::uint32_t const> worker;    // within the task's node
  std::span<std::uint32_t const> position;  // in which they ran, each once
  bool pool_cores = false;                  // cores of a node take each other's tasks
  bool strict = false;                      // a worker waits for its next task; not with a pool
};

/// Gives each worker, or the cores of a node together, the tasks that it ran in a recorded run, those first
/// that ran first: strictly in that order, or as far as they are ready. Inputs travel once a task is ready,
/// as with the dm family.
class RecordedScheduler final : public Scheduler {
 public:
  /// What `order` refers to must outlive this.
  RecordedScheduler(RecordedOrder const& order, NodeView const& node);

  std::uint32_t push(TaskId task, std::uint32_t pusher) override;
  TaskId pop(std::uint32_t worker) override;
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return order_.pool_cores; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  using Ready = std::pair<std::uint32_t, std::uint32_t>;  // position, task
  /// A worker, or those that take each other's tasks.
  struct Group {
    std::vector<std::uint32_t> order;  // tasks, as recorded; only where that is strict
    std::size_t next = 0;              // into it
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  };

  [[nodiscard]] std::uint32_t group_of(std::uint32_t worker) const {
    return order_.pool_cores && !node_.workers()[worker].gpu ? first_core_ : worker;
  }

  RecordedOrder order_;
  NodeView const& node_;
  std::uint32_t first_core_ = 0;
  std::vector<Group> groups_;  // by their first worker
  std::vector<bool> idle_;     // [workers] found nothing when it last looked
};

}  // namespace factosim
