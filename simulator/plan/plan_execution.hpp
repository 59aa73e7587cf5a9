#pragma once

#include <cstddef>
#include <span>

#include "factosim/id.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/plan/execution_plan.hpp"

namespace factosim {

/// Places the graph, which may have been placed before. Numbers its tasks anew, node after node, in
/// submission order within each, and orders the successors of each task: those on its own node first, then by
/// number, so that one message serves one run of successors that read one replica. A successor on another
/// node must read one thing only that a task wrote. Nodes only wait for each other's data: what a task on
/// another node has read may be written here at any time, since both have memory of their own; such edges go,
/// and where that parts a task from the writer whose data it updates, or from those that used on its own
/// node what it overwrites unread, edges between these come.
/// O(tasks + accesses + edges log degree).
ExecutionPlan plan_execution(TaskGraph& graph, OwnersByPlacement const& owners, std::size_t node_count);
/// The same with one distribution.
ExecutionPlan plan_execution(TaskGraph& graph, std::span<NodeId const> owner, std::size_t node_count);

/// The same for tasks whose nodes are given: [tasks]; `owner` is where handles are at the start.
ExecutionPlan plan_recorded_execution(TaskGraph& graph, std::span<NodeId const> owner,
                                      std::span<NodeId const> node_of_task, std::size_t node_count);

}  // namespace factosim
