#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/runtime/node/node_services.hpp"

namespace factosim {

/// The part of the task flow, between two barriers, that the nodes unroll at present, and how far each node
/// has submitted its tasks. Before the first `begin_next` the part is empty.
class FlowPart {
 public:
  /// `tasks`: of the whole flow.
  FlowPart(SimulationInputs const& inputs, std::uint64_t tasks);

  /// Passes the next barrier at that date.
  void begin_next(Seconds date);
  [[nodiscard]] Seconds start() const { return start_; }
  /// Returns the submission number of its first task.
  [[nodiscard]] std::uint32_t begin() const { return begin_; }
  /// Returns the number of tasks, of all nodes.
  [[nodiscard]] std::uint32_t length() const { return end_ - begin_; }
  /// Returns the number of tasks in this part and those before it.
  [[nodiscard]] std::uint32_t end() const { return end_; }
  [[nodiscard]] bool is_last() const { return end_ == tasks_; }
  /// Returns whether the task follows a barrier that has not been passed.
  [[nodiscard]] bool behind_barrier(TaskId task) const { return number(task) >= end_; }
  /// Returns how many tasks its node has unrolled since the last barrier once it has submitted this one.
  [[nodiscard]] std::uint32_t unrolled(TaskId task) const {
    return unrolled_ ? (*unrolled_)[task.index()] : unrolled_to(number(task));
  }
  /// Returns the same of a task by its number, where every node unrolls all tasks.
  [[nodiscard]] std::uint32_t unrolled_to(std::uint32_t number) const { return number - begin_ + 1; }

  /// Returns the next task of the node that is not submitted, or none in this part.
  [[nodiscard]] TaskId next(NodeId node) const {
    TaskId const task{next_[node.index()]};
    bool const left = task.value() < inputs_.plan.first_task[node.index() + 1] && !behind_barrier(task);
    return left ? task : TaskId{};
  }
  void advance(NodeId node) {
    FACTOSIM_EXPECT(next(node).valid(), "a node submits more tasks than it has");
    ++next_[node.index()];
  }
  /// Calls `use(task)` for all tasks of the node in this part that are not submitted.
  template <class Use>
  void for_each_left(NodeId node, Use use) const {
    std::uint32_t const end = inputs_.plan.first_task[node.index() + 1];
    for (std::uint32_t t = next_[node.index()]; t < end && !behind_barrier(TaskId{t}); ++t) use(TaskId{t});
  }

 private:
  [[nodiscard]] std::uint32_t number(TaskId task) const { return inputs_.graph.submission_number(task); }

  SimulationInputs const& inputs_;
  std::uint32_t tasks_;
  std::optional<std::vector<std::uint32_t>> unrolled_;  // [tasks]; none: every node unrolls all tasks
  std::vector<std::uint32_t> next_;                     // [nodes] first task that is not submitted
  std::uint32_t begin_ = 0, end_ = 0;                   // submission numbers
  std::size_t next_barrier_ = 0;                        // into TaskGraph::barriers
  Seconds start_{0};
};

}  // namespace factosim
