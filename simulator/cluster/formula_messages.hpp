#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulator/cluster/task_flow.hpp"
#include "simulator/cluster/tile_lines.hpp"
#include "simulator/graph/task_formulas.hpp"
#include "simulator/plan/execution_plan.hpp"

namespace factosim {

/// The messages with the outputs of tasks that formulas give.
class FormulaMessages {
 public:
  /// An output of a task.
  struct Output {
    HandleId handle;
    std::uint32_t version;
    std::uint64_t position;  // of the task
    LocalReplica replica{};  // where the task has run
  };

  /// `plan`: the nodes of tasks; `task_of`, `tile_of`: the number of each handle, and back. All must outlive this.
  FormulaMessages(TaskFormulas const& formulas, ExecutionPlan const& plan, std::vector<TaskId> const& task_of,
                  std::vector<HandleId> const& tile_of, TileLines const& lines)
      : formulas_(formulas), plan_(plan), task_of_(task_of), tile_of_(tile_of), lines_(lines) {}

  /// From now on, messages have numbers (PlannedMessage::first).
  void number();
  /// Returns how often a replica is used on its node by those that write the handle next, there, and by the message that
  /// takes it away; 0 if none does, so that it stays.
  [[nodiscard]] std::uint32_t uses_from(HandleId handle, std::uint32_t version, NodeId node) const;
  /// Appends the messages with an output: by destination.
  void append(TaskId sender, NodeId home, Output const& output, std::vector<PlannedMessage>& out) const;
  /// As TaskFlow does, where messages have numbers.
  bool for_next_readers(std::function<void(PlannedMessage const&)> const& use);

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] HandleId tile(TaskId task) const { return tile_of_[task.index()]; }
  /// Adds the readers of a run to a message for them.
  void add_readers(std::span<TaskId const> tasks, std::uint32_t version, PlannedMessage& message) const;
  /// Calls `use` for the messages of all tasks with that k. Returns whether there are tasks.
  bool for_readers_of(int k, std::function<void(PlannedMessage const&)> const& use);
  /// Returns the version before the next task of the tile itself; none if there is none.
  [[nodiscard]] std::uint32_t next_own(HandleId tile, std::uint32_t version) const;

  TaskFormulas const& formulas_;
  ExecutionPlan const& plan_;
  std::vector<TaskId> const& task_of_;    // [handles]
  std::vector<HandleId> const& tile_of_;  // [tiles]
  TileLines const& lines_;
  // Where messages are numbered:
  std::vector<std::uint32_t> first_message_;     // [tiles] number of the first message with the final tile
  std::uint32_t message_count_ = 0;              // of messages with final tiles
  std::vector<std::vector<TaskId>> by_version_;  // [versions] final tiles whose readers have that version
  std::uint32_t next_version_ = 0;  // of `for_next_readers`; where tiles are passed on, the next k
  std::vector<std::uint32_t>
      next_task_;  // [tiles] where tiles are passed on: version before the first task not told
};

}  // namespace factosim
