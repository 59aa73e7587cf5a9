#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "factosim/scheduler.hpp"

namespace factosim {

/// The recorded run that a policy follows; spans are [tasks] of the whole cluster.
struct RecordedOrder {
  std::span<std::uint32_t const> worker;    // within the task's node
  std::span<std::uint32_t const> position;  // in the order in which tasks started, each once
  bool pool_cores = false;                  // any core of a node runs the tasks of its cores
  bool strict = false;                      // a worker waits for its next task; excludes pool_cores
};

/// Assigns each task to the worker, or with `pool_cores` to the cores of the node, that ran it in a recorded
/// run. Tasks run in the recorded order: strictly, or the first one that is ready. Operands are prefetched
/// once a task is ready, as with the dm family.
class RecordedScheduler final : public Scheduler {
 public:
  /// The arrays of `order` must outlive this.
  RecordedScheduler(RecordedOrder const& order, NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return order_.pool_cores; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  using Ready = std::pair<std::uint32_t, std::uint32_t>;  // position, task
  /// A worker, or the workers that share their tasks.
  struct Group {
    std::vector<std::uint32_t> order;  // tasks in recorded order; only if strict
    std::size_t next = 0;              // into it
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  };

  [[nodiscard]] std::size_t group_of(std::size_t worker) const {
    return order_.pool_cores && !node_.workers()[worker].gpu ? first_core_ : worker;
  }

  RecordedOrder order_;
  NodeView const& node_;
  std::size_t first_core_ = 0;
  std::vector<Group> groups_;  // by their first worker
  std::vector<bool> idle_;     // [workers] found no task at its last pop
};

}  // namespace factosim
