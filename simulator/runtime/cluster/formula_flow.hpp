#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "models/applications/task_formulas.hpp"
#include "simulator/base/core/id_table.hpp"
#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The tasks, by the tile that they write, of each line of tiles: by node, then along the line.
class TileLines {
 public:
  /// The tasks of one line on one node.
  struct Part {
    NodeId node;
    std::uint32_t begin, end;  // into the tasks
  };

  /// `task_of(tile)`: its task, invalid where nothing updates it; `node_of(task)`: the node of a task.
  template <class TaskOf, class NodeOf>
  TileLines(TaskFormulas const& formulas, TaskOf const& task_of, NodeOf const& node_of);

  /// Returns the parts of the line of the run, by node.
  [[nodiscard]] std::span<Part const> parts(TileRun const& run) const {
    std::size_t const line = line_of(run);
    return {parts_.data() + first_part_[line], parts_.data() + first_part_[line + 1]};
  }
  /// Returns the part on a node; null if it has none. O(log nodes of the line).
  [[nodiscard]] Part const* part(TileRun const& run, NodeId node) const {
    auto const all = parts(run);
    auto const found = std::ranges::lower_bound(all, node, {}, &Part::node);
    return found != all.end() && found->node == node ? &*found : nullptr;
  }
  /// Returns the tasks of the run in a part of its line. O(log of their number).
  [[nodiscard]] std::span<TaskId const> tasks(TileRun const& run, Part const& part) const {
    auto const place = [&](std::uint32_t i) { return places_.begin() + i; };
    auto const first = std::lower_bound(place(part.begin), place(part.end), run.first);
    auto const last =
        places_[part.end - 1] < run.end ? place(part.end) : std::lower_bound(first, place(part.end), run.end);
    return {tasks_.data() + (first - places_.begin()), tasks_.data() + (last - places_.begin())};
  }

 private:
  [[nodiscard]] std::size_t line_of(TileRun const& run) const {
    return static_cast<std::size_t>(run.line) + static_cast<std::size_t>(run.kind) * lines_;
  }

  std::size_t lines_;                      // of each kind
  std::vector<std::uint32_t> first_part_;  // [kinds][lines], + 1, into `parts_`
  std::vector<Part> parts_;
  std::vector<TaskId> tasks_;          // [kinds][lines][tiles of the line] by node
  std::vector<std::uint16_t> places_;  // [the same] column in a row, row in a column
};

template <class TaskOf, class NodeOf>
TileLines::TileLines(TaskFormulas const& formulas, TaskOf const& task_of, NodeOf const& node_of)
    : lines_(static_cast<std::size_t>(formulas.line_count())) {
  struct Member {
    NodeId node;
    TaskId task;
    std::uint16_t place;
  };
  std::vector<Member> members;  // of one line
  int const count = formulas.line_count();
  for (TileRun::Line const kind : {TileRun::Line::row, TileRun::Line::column})
    for (int line = 0; line < count; ++line) {
      members.clear();
      for (int i = 0; i < count; ++i) {
        HandleId const tile =
            kind == TileRun::Line::row ? formulas.updated_tile(line, i) : formulas.updated_tile(i, line);
        if (!tile.valid()) continue;
        TaskId const task = task_of(tile);
        members.push_back({node_of(task), task, static_cast<std::uint16_t>(i)});
      }
      std::ranges::stable_sort(members, {}, &Member::node);
      first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
      for (std::size_t i = 0; i < members.size(); ++i) {
        auto const next = static_cast<std::uint32_t>(tasks_.size());
        if (i == 0 || members[i].node != members[i - 1].node) parts_.push_back({members[i].node, next, next});
        ++parts_.back().end;
        tasks_.push_back(members[i].task);
        places_.push_back(members[i].place);
      }
    }
  first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
}

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
