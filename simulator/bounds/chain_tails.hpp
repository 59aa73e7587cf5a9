#pragma once

#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/core/time_grid.hpp"
#include "simulator/engine/topology.hpp"
#include "simulator/plan/execution_plan.hpp"
#include "simulator/plan/machine.hpp"

namespace factosim {

/// Durations of the longest chains of tasks that follow a task, from its end, in ticks.
struct ChainTail {
  double fastest = 0;        // each task on the fastest worker of all nodes
  double own = 0;            // each on the fastest worker of its node
  double with_messages = 0;  // and each tile between nodes at full bandwidth
};

/// Tails of all tasks, and the longest chains themselves.
struct ChainTails {
  std::vector<ChainTail> of_task;  // [tasks]
  ChainTail longest;               // with the first task of the chain
};

/// Computes all tails in one pass over the graph, on a machine whose durations are ticks of the grid. O(tasks +
/// edges) if the submission order is topological.
[[nodiscard]] ChainTails chain_tails(TaskGraph const& graph, ExecutionPlan const& plan,
                                     Machine const& machine, Topology const& topology, TimeGrid const& grid);

}  // namespace factosim
