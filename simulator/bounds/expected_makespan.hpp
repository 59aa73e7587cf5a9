#pragma once

#include "factosim/task_graph.hpp"
#include "simulator/engine/topology.hpp"
#include "simulator/plan/execution_plan.hpp"
#include "simulator/plan/machine.hpp"
#include "simulator/plan/options.hpp"

namespace factosim {

/// Returns the order of magnitude of the makespan, from which the clock takes its tick: the largest of the work
/// per worker of a node, the longest chain of tasks and messages, the submission of all tasks, and the time to
/// send all data once over the slowest links of all nodes; but at most 16 times what the work, the submissions and the
/// longest chain with its messages on their own routes take. In proportion to the times of the scenario.
/// O(tasks + edges).
[[nodiscard]] Seconds expected_makespan(TaskGraph const& graph, ExecutionPlan const& plan,
                                        Machine const& machine, Topology const& topology,
                                        RuntimeOptions const& options);

}  // namespace factosim
