#pragma once

#include <vector>

#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/runtime/node/node_services.hpp"

namespace factosim {

/// The dependencies of a stored task graph.
class StoredFlow final : public TaskFlow {
 public:
  /// The graph, the plan and the options of the inputs must outlive this.
  explicit StoredFlow(SimulationInputs const& inputs)
      : inputs_(inputs), predecessors_left_(inputs.graph.predecessors) {}

  [[nodiscard]] bool by_formulas() const override { return false; }
  [[nodiscard]] std::uint64_t task_count() const override { return inputs_.graph.task_count(); }
  void part_begins(std::uint32_t /*first*/) override {}
  [[nodiscard]] bool is_free(TaskId task) const override { return predecessors_left_[task.index()] == 0; }
  TaskId ended(TaskId task, NodeId node, std::vector<TaskId>& free) override;
  void append_messages(TaskId task, NodeId home, std::vector<PlannedMessage>& out) const override;
  bool for_next_readers(std::function<void(PlannedMessage const&)> const& use) override;
  void delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) override;
  void dropped(NodeId /*node*/, HandleId /*handle*/, LocalReplica /*replica*/) override {}

 private:
  /// One more predecessor of the task has run, or its message has been delivered. Returns whether the task is free.
  bool count_predecessor(TaskId task) { return --predecessors_left_[task.index()] == 0; }
  [[nodiscard]] PlannedMessage message(TaskId task, NodeId home, EdgeId first, EdgeId last) const;

  SimulationInputs const& inputs_;
  std::vector<std::uint32_t> predecessors_left_;  // [tasks]
  bool told_readers_ = false;                     // all of them are one part
};

}  // namespace factosim
