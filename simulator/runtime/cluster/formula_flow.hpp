#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/applications/task_formulas.hpp"
#include "simulator/base/core/id_table.hpp"
#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/runtime/cluster/tile_lines.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The dependencies of tasks that formulas give, with memory for each tile and for what nodes hold of others' tiles,
/// but not for each task: Cosnard and Jeannot, "Compact DAG representation and its dynamic scheduling", JPDC 58, 1999,
/// after PaRSEC's parametrised task graphs.
///
/// A tile has at most one task that is free and not over, so that the task has the number of its tile: tiles are numbered by
/// node. `graph()` and `plan()` are those of a run: of the tasks that are free, and of replicas on their owners.
class FormulaFlow final : public TaskFlow {
 public:
  /// `data`: a graph without tasks: its kernels and handles. `owner`: the node of each handle. `numbers_messages`:
  /// PlannedMessage::first is asked for. `formulas` must outlive this.
  FormulaFlow(TaskFormulas const& formulas, TaskGraph const& data, std::span<NodeId const> owner,
              std::size_t nodes, bool numbers_messages);

  [[nodiscard]] TaskGraph const& graph() const { return graph_; }
  [[nodiscard]] ExecutionPlan const& plan() const { return plan_; }

  [[nodiscard]] bool by_formulas() const override { return true; }
  [[nodiscard]] std::uint64_t task_count() const override { return formulas_.task_count(); }
  [[nodiscard]] bool is_free(TaskId task) const override {
    State const& state = states_[task.index()];
    return state.missing == 0 && !state.is_final;
  }
  bool ended(TaskId task, NodeId node, std::vector<TaskId>& free) override;
  void append_messages(TaskId task, NodeId home, std::vector<PlannedMessage>& out) const override;
  bool for_next_readers(std::function<void(PlannedMessage const&)> const& use) override;
  void delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) override;
  void dropped(NodeId node, HandleId handle, LocalReplica replica) override;

 private:
  /// A tile and its next task, or the one that runs. 4 bytes.
  struct State {
    std::uint32_t version : 28 = 0;  // of the tile before the task
    std::uint32_t missing : 2 = 0;   // inputs that are not on its node
    std::uint32_t is_final : 1 = 0;  // its tasks have run
    std::uint32_t last : 1 = 0;      // the task that is free is the last of the tile
  };

  [[nodiscard]] HandleId tile(TaskId task) const { return plan_.handle_of(ReplicaId{task.value()}); }
  [[nodiscard]] TaskId task_of(HandleId tile) const { return task_of_[tile.index()]; }
  /// Finds the first task of the tile on its node.
  void begin(TaskId task, NodeId node);
  /// Counts the inputs that the next task of the tile misses. Returns whether it is free; if so, stores it.
  bool prepare(TaskId task, NodeId node);
  /// Returns the replica of a final tile on a node; an invalid id if it is not there.
  [[nodiscard]] ReplicaId find(HandleId tile, NodeId node) const;
  void store(TaskId task, FormulaTask const& formula, std::span<ReplicaId const> inputs);
  /// The final tile is on the node: appends those of its readers there that are free now.
  void release(TileReaders const& readers, NodeId node, std::vector<TaskId>& free);
  [[nodiscard]] bool read_elsewhere(TileReaders const& readers, NodeId node) const;
  /// Gives the messages of all final tiles consecutive numbers: by node, then by the last task of their tile.
  void number_messages();
  /// Adds the readers of a run to a message for them.
  void add_readers(std::span<TaskId const> tasks, std::uint32_t version, PlannedMessage& message) const;

  TaskFormulas const& formulas_;
  TaskGraph graph_;
  ExecutionPlan plan_;
  std::vector<TaskId> task_of_;  // [tiles]
  std::vector<State> states_;    // [tasks]
  TileLines lines_;
  std::vector<IdTable<HandleId, LocalReplica>>
      received_;  // [nodes] replicas of others' final tiles that are still needed
  // Where messages are numbered:
  std::vector<std::uint32_t> first_message_;  // [tasks] number of the first message with the final tile
  std::vector<std::vector<TaskId>>
      by_version_;                // [versions] final tiles whose readers find theirs in that one
  std::size_t next_version_ = 0;  // of `for_next_readers`
};

}  // namespace factosim
