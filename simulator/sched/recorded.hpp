#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// The workers and the order of tasks in a recorded run; spans are [tasks] of the whole cluster.
struct RecordedOrder {
  std::span<std::uint32_t const> worker;    // within the task's node
  std::span<std::uint32_t const> position;  // in the order in which they ran, each once
  bool pool_cores = false;                  // any core of a node may run the tasks of its cores
  bool strict = false;                      // a worker waits for its next task; never with pool_cores
};

/// Gives each worker, or the cores of a node together, the tasks that it ran in a recorded run: strictly in
/// their recorded order, or the first ready one in that order. Inputs are prefetched as in the dm family.
class RecordedScheduler final : public Scheduler {
 public:
  /// The arrays of `order` must outlive this.
  RecordedScheduler(RecordedOrder const& order, NodeView const& node);

  std::uint32_t push(TaskId task, std::uint32_t pusher) override;
  TaskId pop(std::uint32_t worker) override;
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return order_.pool_cores; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  using Ready = std::pair<std::uint32_t, std::uint32_t>;  // position, task
  /// A worker, or all cores of the node with `pool_cores`.
  struct Group {
    std::vector<std::uint32_t> order;  // tasks in recorded order; only if strict
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
  std::vector<bool> idle_;     // [workers] found no task at its last pop
};

}  // namespace factosim
