#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/base/core/id_table.hpp"
#include "simulator/runtime/cluster/formula_messages.hpp"
#include "simulator/runtime/cluster/formula_places.hpp"
#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/runtime/cluster/tile_lines.hpp"
#include "simulator/tasks/graph/task_formulas.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The dependencies of tasks that formulas give, with memory for each tile and for what nodes hold of others' tiles,
/// but not for each task: Cosnard and Jeannot, "Compact DAG representation and its dynamic scheduling", JPDC 58, 1999,
/// after PaRSEC's parametrised task graphs.
///
/// A tile has at most one task that is free and not over, so that the task has the number of its tile. While a tile has
/// none, the number may stand for messages that take it, or what one of its tasks created, elsewhere. Tiles are numbered by
/// node; one whose first task is on another node has a number there too. `graph()` and `plan()` are those of a run: of the
/// tasks that are free, and of replicas on their owners. A repetition begins anew: all tasks of those before have run.
class FormulaFlow final : public TaskFlow {
 public:
  /// `data`: a graph without tasks: its kernels and handles. `owners`: the node of each handle; of its first task where
  /// there are two of them. `numbers_messages`: PlannedMessage::first is asked for. `formulas` must outlive this.
  FormulaFlow(TaskFormulas const& formulas, TaskGraph const& data, OwnersByPlacement const& owners,
              std::size_t nodes, bool numbers_messages);

  [[nodiscard]] TaskGraph const& graph() const { return graph_; }
  [[nodiscard]] ExecutionPlan const& plan() const { return plan_; }

  [[nodiscard]] bool by_formulas() const override { return true; }
  [[nodiscard]] std::uint64_t task_count() const override { return formulas_.task_count(); }
  void part_begins(std::uint32_t first) override;
  [[nodiscard]] bool is_free(TaskId task) const override {
    State const& state = states_[task.index()];
    return state.missing == 0 && !state.over;
  }
  TaskId ended(TaskId task, NodeId node, std::vector<TaskId>& free) override;
  void append_messages(TaskId sender, NodeId home, std::vector<PlannedMessage>& out) const override;
  bool for_next_readers(std::function<void(PlannedMessage const&)> const& use) override {
    return messages_.for_next_readers(use);
  }
  void delivered(PlannedMessage const& message, LocalReplica replica, std::vector<TaskId>& free) override;
  void dropped(NodeId node, HandleId handle, LocalReplica replica) override;

 private:
  static constexpr unsigned version_bits = 25;                          // enough for 5000 x 5000 tiles of QR
  static constexpr std::uint32_t elsewhere = (1U << version_bits) - 1;  // the tile has been passed on
  /// A tile and its next task, or the one that runs. 4 bytes.
  struct State {
    std::uint32_t version : version_bits = 0;  // of the tile before the task
    std::uint32_t missing : 2 = 0;             // data that are not on its node
    std::uint32_t over : 1 = 0;                // its tasks have run
    // Of the task that is free:
    std::uint32_t followed : 1 = 0;    // the next one of the tile follows it, and it writes nothing else
    std::uint32_t last : 1 = 0;        // it is the last of the tile
    std::uint32_t passed_on : 1 = 0;   // the tile is passed on before the next one
    std::uint32_t writes_two : 1 = 0;  // it writes two handles
  };
  /// Where a tile is passed on.
  struct Passed {
    ReplicaId replica;          // none while a task holds it, or a message
    std::uint32_t version = 0;  // with that task
  };
  /// The readers of a tile for which it is on a node now.
  enum class Served : std::uint8_t { before_flush, after_flush, all };

  /// Returns the plan of the replicas on their owners.
  [[nodiscard]] ExecutionPlan planned() const;
  /// Plans the replica of the tile on that node.
  void plan_replica(TaskId task, NodeId node);
  /// Finds the first task of the tile, on that node.
  void begin(TaskId task, NodeId node);
  void begin_all();
  /// Counts the uses of replicas of tiles that have two places.
  void plan_moves();
  [[nodiscard]] HandleId tile(TaskId task) const { return places_.tile(task); }
  /// Returns whether the tile waits for its first task on another node.
  [[nodiscard]] bool moves_here(TaskId task) const {
    return places_.other_place(task).valid() && !places_.moves_away(task);
  }
  [[nodiscard]] bool is_last_repetition() const { return repetition_ + 1 == formulas_.repetitions(); }
  /// Returns the version of a handle, which no task holds.
  [[nodiscard]] std::uint32_t version(TaskId place) const {
    return passed_.empty() ? states_[place.index()].version : passed_[place.index()].version;
  }
  /// Returns the replica of the task's tile on its node, where tiles are not passed on.
  [[nodiscard]] ReplicaId own_replica(TaskId task) const {
    return held_.empty() ? ReplicaId{task.value()} : held_[task.index()];
  }
  /// Returns the key of a received tile, by when it was sent.
  [[nodiscard]] HandleId key(HandleId handle, bool after_flush) const {
    return after_flush ? HandleId{handle.index() + places_.tiles()} : handle;
  }
  [[nodiscard]] TileLines lines() const;
  /// Counts what the next task of the tile misses. Returns whether it is free; if so, stores it.
  bool prepare(TaskId task, NodeId node);
  /// Returns the replica of a final tile on a node; an invalid id if it is not there.
  [[nodiscard]] ReplicaId find(HandleId handle, NodeId node, bool after_flush) const;
  /// Returns the replica of the second handle that the task writes; an invalid id if it has not been passed to it.
  [[nodiscard]] ReplicaId find_passed(FormulaTask const& formula) const;
  /// `others`: the replicas of its inputs and of the second handle that it writes.
  void store(TaskId task, FormulaTask const& formula, std::span<ReplicaId const> others);
  /// The task has run, and another one of its tile does not just follow.
  TaskId pass_on(TaskId task, NodeId node, std::vector<TaskId>& free);
  /// The access of a task has written what the tile of that place does not just keep: appends those of the readers on the
  /// node that are free now. Returns whether there are others.
  bool hand_out(TaskId place, std::uint32_t access, NodeId node, std::vector<TaskId>& free);
  /// The output is on the node: appends those of the readers there that are free now.
  void release(HandleId handle, TileReaders const& readers, NodeId node, Served served,
               std::vector<TaskId>& free);
  /// The tile has come from where its first task ran.
  void arrived(TaskId place, ReplicaId replica, NodeId node, std::vector<TaskId>& free);
  [[nodiscard]] bool read_elsewhere(TileReaders const& readers, NodeId node) const;
  void sort_by_submission(std::vector<TaskId>& free, std::size_t begin) const;

  TaskFormulas const& formulas_;
  FormulaPlaces places_;
  TaskGraph graph_;
  ExecutionPlan plan_;
  bool has_gaps_;                // of versions
  std::vector<State> states_;    // [places]
  std::vector<Passed> passed_;   // [places] where tiles are passed on
  std::vector<ReplicaId> held_;  // [places] replicas of tiles on their nodes, where repetitions have others
  std::uint32_t repetition_ = 0;
  std::uint64_t before_ = 0;  // tasks of the repetitions before
  std::uint64_t flush_;       // place in the submission of the flush of this repetition
  TileLines lines_;
  FormulaMessages messages_;
  std::vector<IdTable<HandleId, LocalReplica>>
      received_;  // [nodes] replicas of final tiles that are still needed
};

}  // namespace factosim
