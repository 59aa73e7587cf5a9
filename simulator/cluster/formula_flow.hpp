#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/cluster/task_flow.hpp"
#include "simulator/cluster/tile_lines.hpp"
#include "simulator/core/id_table.hpp"
#include "simulator/graph/task_formulas.hpp"
#include "simulator/plan/execution_plan.hpp"

namespace factosim {

/// The dependencies of tasks that formulas give, with memory for each tile and for what nodes hold of others' tiles,
/// but not for each task: Cosnard and Jeannot, "Compact DAG representation and its dynamic scheduling", JPDC 58, 1999,
/// after PaRSEC's parametrised task graphs.
///
/// A tile has at most one task that is free and not over, so that the task has the number of its tile. Tiles are numbered
/// by node. `graph()` and `plan()` are those of a run: of the tasks that are free, and of replicas on their owners.
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
    return states_[task.index()].missing == 0 && states_[task.index()].version != final_version;
  }
  bool ended(TaskId task, NodeId node, std::vector<TaskId>& free) override;
  void append_messages(TaskId task, std::vector<PlannedMessage>& out) const override;
  [[nodiscard]] std::size_t message_numbers() const override { return message_count_; }
  bool for_next_readers(std::function<void(PlannedMessage const&)> const& use) override;
  void delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) override;
  void dropped(NodeId node, HandleId handle) override { received_[node.index()].remove(handle); }

 private:
  static constexpr std::uint16_t final_version = 0xffff;  // nothing will write the tile
  /// The next task on a tile, or the one that runs.
  struct State {
    std::uint16_t version = 0;  // tasks that have written the tile
    std::uint8_t missing = 0;   // inputs that are not on its node
    bool last = false;          // of the task that is free: nothing writes the tile after it
  };

  void number_tiles(std::span<NodeId const> owner, std::size_t nodes);
  [[nodiscard]] HandleId tile(TaskId task) const { return tile_of_[task.index()]; }
  /// Returns the replica of the task's tile on its owner: the plan has no others.
  [[nodiscard]] static ReplicaId own_replica(TaskId task) { return ReplicaId{task.value()}; }
  /// Returns the place in the submission of the task that writes the tile last.
  [[nodiscard]] std::uint64_t last_position(HandleId tile) const;
  void number_messages();
  [[nodiscard]] TileLines lines() const;
  /// Counts the inputs that the next task of the tile misses. Returns whether it is free; if so, stores it.
  bool prepare(TaskId task, NodeId node);
  /// Returns the replica of a final tile on a node; an invalid id if it is not there.
  [[nodiscard]] ReplicaId find(HandleId handle, NodeId node) const;
  void store(TaskId task, FormulaTask const& formula, std::span<ReplicaId const> inputs);
  /// The tile, which is final, is on the node: appends its readers there that are free now.
  void release(TileReaders const& readers, NodeId node, std::vector<TaskId>& free);
  /// Adds the readers of a run to a message for them.
  void add_readers(std::span<TaskId const> tasks, std::uint32_t version, PlannedMessage& message) const;

  TaskFormulas const& formulas_;
  TaskGraph graph_;
  ExecutionPlan plan_;
  std::vector<TaskId> task_of_;    // [handles]
  std::vector<HandleId> tile_of_;  // [tiles] by task
  std::vector<State> states_;      // [tiles]
  TileLines lines_;
  std::vector<IdTable<HandleId, LocalReplica>> received_;  // [nodes] replicas that are still needed
  // Where messages are numbered:
  std::vector<std::uint32_t> first_message_;  // [tiles] number of the first message with the final tile
  std::uint32_t message_count_ = 0;
  std::vector<std::vector<TaskId>> by_version_;  // [versions] final tiles whose readers have that version
  std::uint32_t next_version_ = 0;               // of `for_next_readers`
};

}  // namespace factosim
