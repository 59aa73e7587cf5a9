#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulator/runtime/cluster/formula_places.hpp"
#include "simulator/runtime/cluster/task_flow.hpp"
#include "simulator/runtime/cluster/tile_lines.hpp"
#include "simulator/tasks/graph/task_formulas.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The messages with the outputs of tasks that formulas give.
class FormulaMessages {
 public:
  /// An output of a task.
  struct Output {
    TaskId place;  // of the tile
    std::uint32_t version;
    std::uint64_t position;  // of the task
    LocalReplica replica{};  // where the task has run
    std::uint32_t repetition = 0;
  };
  /// Uses of a replica by the first task of a tile and by the message that takes it to its other place.
  static constexpr std::uint32_t uses_of_move = 2;

  /// All arguments must outlive this.
  FormulaMessages(FormulaPlaces const& places, ExecutionPlan const& plan, TileLines const& lines)
      : places_(places), formulas_(places.formulas()), plan_(plan), lines_(lines) {}

  /// From now on, messages have numbers (PlannedMessage::first).
  void number();
  /// Returns how often a replica is used on its node by those that write the handle next, there, and by the message that
  /// takes it away; 0 if none does, so that it stays.
  [[nodiscard]] std::uint32_t uses_from(HandleId handle, std::uint32_t version, NodeId node) const;
  /// Returns whether a message takes the final tile of a place to that node.
  [[nodiscard]] bool goes_to(TaskId place, NodeId node) const;
  /// Appends the messages with an output: by destination.
  void append(TaskId sender, NodeId home, Output const& output, std::vector<PlannedMessage>& out) const;
  /// As TaskFlow does, where messages have numbers.
  bool for_next_readers(std::function<void(PlannedMessage const&)> const& use);

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  /// The readers of an output, of whose positions those before the repetition are no part.
  struct Readers {
    TileReaders of;
    std::uint64_t before;
  };

  [[nodiscard]] HandleId tile(TaskId task) const { return places_.tile(task); }
  /// Returns the message that takes an output to the node of the task that writes it next.
  [[nodiscard]] PlannedMessage to_taker(TaskId sender, NodeId home, Output const& output,
                                        Readers const& readers) const;
  void append_runs(PlannedMessage const& message, Readers const& readers,
                   std::vector<PlannedMessage>& out) const;
  void append_singles(PlannedMessage const& message, Readers const& readers, std::size_t begin,
                      std::vector<PlannedMessage>& out) const;
  /// Counts the uses of replicas that only last until the next repetition.
  void count_uses(Output const& output, std::span<PlannedMessage> messages) const;
  /// Returns the uses, of one repetition, of a tile that has come from where its first task ran.
  [[nodiscard]] std::uint32_t uses_after_move(TaskId place) const;
  /// Adds the readers of a run to a message for them.
  void add_readers(std::span<TaskId const> tasks, std::uint32_t version, std::uint64_t before,
                   PlannedMessage& message) const;
  /// Returns the part of the submission with the first reader of the message.
  [[nodiscard]] std::size_t part_of(PlannedMessage const& message, std::uint64_t before) const;
  [[nodiscard]] std::uint64_t before(std::uint32_t repetition) const {
    return formulas_.task_count() / formulas_.repetitions() * repetition;
  }
  /// Calls `use` for the messages of all tasks with that k. Returns whether there are tasks.
  bool for_readers_of(int k, std::function<void(PlannedMessage const&)> const& use);
  /// Returns the version before the next task of the tile itself; none if there is none.
  [[nodiscard]] std::uint32_t next_own(HandleId tile, std::uint32_t version) const;

  FormulaPlaces const& places_;
  TaskFormulas const& formulas_;
  ExecutionPlan const& plan_;
  TileLines const& lines_;
  // Where messages are numbered:
  std::vector<std::uint32_t> first_message_;  // [places] number of the first message with the final tile
  std::uint32_t message_count_ = 0;           // of messages with final tiles
  std::vector<std::vector<TaskId>> by_part_;  // [parts] final tiles with first readers there
  std::uint32_t next_part_ =
      0;  // of `for_next_readers`, over all repetitions; where tiles are passed on, the next k
  std::vector<std::uint32_t>
      next_task_;  // [tiles] where tiles are passed on: version before the first task not told
};

}  // namespace factosim
