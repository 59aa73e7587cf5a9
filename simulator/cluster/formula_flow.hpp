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
/// A tile has at most one task that is free and not over, so that the task has the number of its tile. After the last of
/// its tasks, the tile is sent under that number: to its readers, or to the task that it is passed on to. Tiles are numbered
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
    State const& state = states_[task.index()];
    return state.missing == 0 && !state.over;
  }
  TaskId ended(TaskId task, NodeId node, std::vector<TaskId>& free) override;
  void append_messages(TaskId sender, NodeId home, std::vector<PlannedMessage>& out) const override;
  bool for_next_readers(std::function<void(PlannedMessage const&)> const& use) override;
  void delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) override;
  void dropped(NodeId node, HandleId handle) override {
    if (!is_passed_on(task_of_[handle.index()])) received_[node.index()].remove(handle);
  }

 private:
  /// A tile and its next task, or the one that runs.
  struct State {
    std::uint16_t version = 0;      // tasks that have written the tile
    std::uint8_t missing = 0;       // data that are not on its node
    bool over : 1 = false;          // its tasks have run
    bool last : 1 = false;          // of the task that is free: it is the last of the tile
    bool writes_two : 1 = false;    // the same: it writes a second handle
    bool is_passed_on : 1 = false;  // when its tasks have run
  };
  /// An output of a task, for its messages.
  struct Output {
    HandleId handle;
    std::uint32_t version;   // tasks that have written it
    std::uint64_t position;  // of the task
    LocalReplica replica{};  // where the task has run
  };

  void number_tiles(std::span<NodeId const> owner, std::size_t nodes);
  /// Finds the first task of the tile, on that node.
  void begin(TaskId task, NodeId node);
  [[nodiscard]] HandleId tile(TaskId task) const { return tile_of_[task.index()]; }
  [[nodiscard]] bool is_passed_on(TaskId task) const { return states_[task.index()].is_passed_on; }
  /// Returns the replica of the task's tile on its owner: the plan has no others.
  [[nodiscard]] static ReplicaId own_replica(TaskId task) { return ReplicaId{task.value()}; }
  /// Returns how often a replica is used on its node, beginning with the next task that the handle is passed to: by tasks there,
  /// and by the message that takes it away; if none does, the replica stays.
  [[nodiscard]] std::uint32_t uses_from(HandleId handle, std::uint32_t version, NodeId node) const;
  void number_messages();
  [[nodiscard]] TileLines lines() const;
  /// Counts what the next task of the tile misses. Returns whether it is free; if so, stores it.
  bool prepare(TaskId task, NodeId node);
  /// Returns the replica of a final tile on a node; an invalid id if it is not there.
  [[nodiscard]] ReplicaId find(HandleId handle, NodeId node) const;
  /// Returns the replica of the second handle that the task writes; an invalid id if it has not been passed to it.
  [[nodiscard]] ReplicaId find_passed(FormulaTask const& formula) const;
  /// `others`: the replicas of its inputs and of the second handle that it writes.
  void store(TaskId task, FormulaTask const& formula, std::span<ReplicaId const> others);
  /// The task has written its second handle. Returns under which number this is sent to other nodes, if it is.
  TaskId pass_on(TaskId task, NodeId node, std::vector<TaskId>& free);
  /// The output is on the node: appends those of the readers there that are free now.
  void release(TileReaders const& readers, NodeId node, std::vector<TaskId>& free);
  [[nodiscard]] bool read_elsewhere(TileReaders const& readers, NodeId node) const;
  void sort_by_submission(std::vector<TaskId>& free, std::size_t begin) const;
  /// Appends the messages with an output: by destination.
  void append(TaskId sender, NodeId home, Output const& output, std::vector<PlannedMessage>& out) const;
  /// Adds the readers of a run to a message for them.
  void add_readers(std::span<TaskId const> tasks, std::uint32_t version, PlannedMessage& message) const;

  TaskFormulas const& formulas_;
  TaskGraph graph_;
  ExecutionPlan plan_;
  std::vector<TaskId> task_of_;    // [handles]
  std::vector<HandleId> tile_of_;  // [tiles] by task
  std::vector<State> states_;      // [tiles]
  std::vector<ReplicaId>
      passed_;  // [tiles] the replica of a tile that is passed on; none while it is sent; empty: no tile is
  TileLines lines_;
  std::vector<IdTable<HandleId, LocalReplica>>
      received_;  // [nodes] replicas of final tiles that are still needed
  // Where messages are numbered:
  std::vector<std::uint32_t> first_message_;     // [tiles] number of the first message with the final tile
  std::uint32_t message_count_ = 0;              // of messages with final tiles
  std::vector<std::vector<TaskId>> by_version_;  // [versions] final tiles whose readers have that version
  std::uint32_t next_version_ = 0;               // of `for_next_readers`
};

}  // namespace factosim
