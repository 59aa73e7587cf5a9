#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulator/tasks/bounds/tick_times.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The tasks of a stored graph on the nodes of its plan. Both must outlive it.
class GraphTasks {
 public:
  GraphTasks(TaskGraph const& graph, ExecutionPlan const& plan)
      : graph_(graph), plan_(plan), node_of_(graph.task_count()), order_(ordered_tasks(graph)) {
    for (std::uint32_t n = 0; n + 1 < plan.first_task.size(); ++n)
      std::fill(node_of_.begin() + plan.first_task[n], node_of_.begin() + plan.first_task[n + 1], NodeId{n});
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(node_of_.size()); }
  [[nodiscard]] TaskGraph const& graph() const { return graph_; }
  [[nodiscard]] ExecutionPlan const& plan() const { return plan_; }
  /// Each after its predecessors.
  [[nodiscard]] std::vector<TaskId> const& order() const { return order_; }
  /// Returns the task without its accesses.
  [[nodiscard]] PlacedTask operator[](TaskId t) const {
    return {.kernel = graph_.kernel[t.index()],
            .node = node_of_[t.index()],
            .weight = graph_.weights.empty() ? nullptr : &graph_.weights[t.index()]};
  }
  /// Calls `use(successor, node, size)` for each successor with its node and the size of the message to it; 0 on the node
  /// of the task.
  template <class Use>
  void for_each_successor(TaskId task, Use const& use) const {
    for (TaskId const next : graph_.successors_of(task)) {
      NodeId const there = node_of_[next.index()];
      HandleId const given = there == node_of_[task.index()] ? HandleId{} : graph_.given_to(task, next);
      use(next, there, given.valid() ? graph_.handles[given.index()].size : Bytes{0});
    }
  }

 private:
  TaskGraph const& graph_;
  ExecutionPlan const& plan_;
  std::vector<NodeId> node_of_;  // [tasks]
  std::vector<TaskId> order_;
};

/// Longest chains that end with each task of a stored graph. `Times` as of FlowChains. O(tasks + edges).
template <class Times>
class GraphChains {
 public:
  using Value = typename Times::Value;

  GraphChains(GraphTasks const& tasks, Times times) : start_(tasks.count()) {
    for (TaskId const t : tasks.order()) {
      PlacedTask const task = tasks[t];
      Value const end = times.end(start_[t.index()], task);
      Times::extend(longest_, end);
      tasks.for_each_successor(t, [&](TaskId next, NodeId there, Bytes size) {
        Times::extend(start_[next.index()],
                      there == task.node ? end : times.arrival(end, task.node, there, size));
      });
    }
  }

  /// Returns the start of the task at the end of the longest chain that ends with it.
  [[nodiscard]] Value const& start(TaskId task) const { return start_[task.index()]; }
  [[nodiscard]] Value const& longest() const { return longest_; }

 private:
  std::vector<Value> start_;  // [tasks]
  Value longest_{};
};

/// Returns the longest chains that follow each task of a stored graph, from its end on: [tasks]. O(tasks + edges).
[[nodiscard]] inline std::vector<ChainTail> graph_tails(GraphTasks const& tasks, TickTimes times) {
  std::vector<ChainTail> tails(tasks.count());
  for (auto t = tasks.order().rbegin(); t != tasks.order().rend(); ++t) {
    NodeId const home = tasks[*t].node;
    tasks.for_each_successor(*t, [&](TaskId next, NodeId there, Bytes size) {
      PlacedTask const task = tasks[next];
      ChainTail const& tail = tails[next.index()];
      double const message = there == home ? 0 : times.message(home, there, size);
      tails[t->index()].extend(
          {tail.fastest + times.of_any(task), message + tail.with_messages + times.on_node(task)});
    });
  }
  return tails;
}

}  // namespace factosim
