#pragma once

#include <vector>

#include "factosim/task_graph.hpp"
#include "platforms/topology.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// Shortest durations of tasks, in ticks, on the fastest worker, where contention slows it down least. The graph and
/// the machine must outlive it.
class ShortestDurations {
 public:
  ShortestDurations(TaskGraph const& graph, Machine const& machine, TimeGrid const& grid);

  /// On all nodes.
  [[nodiscard]] double of_any(TaskId task) const { return of_any_[row(task)]; }
  [[nodiscard]] double on_node(TaskId task, NodeId node) const {
    return of_type_[machine_.type_of[node.index()] * of_any_.size() + row(task)];
  }

 private:
  /// Tasks of a kernel have one duration, unless they have weights.
  [[nodiscard]] std::size_t row(TaskId task) const {
    return graph_.weights.empty() ? graph_.kernel[task.index()] : task.index();
  }

  TaskGraph const& graph_;
  Machine const& machine_;
  std::vector<double> of_any_;   // [kernels], or [tasks] with weights
  std::vector<double> of_type_;  // [types][kernels or tasks]
};

/// Durations of the longest chains of tasks that follow a task, from its end, in ticks.
struct ChainTail {
  double fastest = 0;        // each task on the fastest worker of all nodes
  double own = 0;            // each on the fastest worker of its node
  double with_messages = 0;  // and each tile between nodes at full bandwidth
};

/// Durations of the longest chains of tasks that precede a task, until its start, in ticks.
struct ChainHead {
  double fastest = 0;
  double with_messages = 0;
};

/// Longest chains around all tasks, and the longest chains themselves.
struct TaskChains {
  std::vector<ChainHead> before;  // [tasks]
  std::vector<ChainTail> after;   // [tasks]
  ChainTail longest;              // with the first task of the chain
};

/// Computes all chains in two passes over the graph, with shortest durations on that grid. O(tasks +
/// edges) if the submission order is topological.
[[nodiscard]] TaskChains task_chains(TaskGraph const& graph, ExecutionPlan const& plan,
                                     ShortestDurations const& shortest, Topology const& topology,
                                     TimeGrid const& grid);

}  // namespace factosim
