#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// Places the tasks of a graph on nodes by "owner computes"; the graph may have been placed before.
/// - Renumbers its tasks by node, in submission order within each node.
/// - Sorts the successors of each task, those on its own node first, then by number: one message serves one
///   run of successors. A successor on another node must read only one of the handles that a task writes.
/// - Removes edges between nodes that carry no data: a task need not wait for readers on another node, which
///   have a replica of their own. If that separates a task from the writer whose data it updates, or from
///   the users, on its own node, of a handle that it overwrites unread, adds edges between these.
///
/// O(tasks + accesses + edges log degree).
ExecutionPlan plan_execution(TaskGraph& graph, OwnersByPlacement const& owners, std::size_t node_count);
/// Does the same with one distribution.
ExecutionPlan plan_execution(TaskGraph& graph, std::span<NodeId const> owner, std::size_t node_count);

/// Does the same for tasks whose nodes are given, [tasks]. `owner`: the node of each handle at the start.
ExecutionPlan plan_recorded_execution(TaskGraph& graph, std::span<NodeId const> owner,
                                      std::span<NodeId const> node_of_task, std::size_t node_count);

/// Returns edges to each task that overwrites a handle unread from the tasks that have used the handle on its node, since that
/// node last wrote it. Tasks are numbered by submission. O(tasks + accesses log).
[[nodiscard]] std::vector<TaskEdge> edges_to_overwrites(TaskGraph const& graph,
                                                        std::span<NodeId const> node_of_task);

}  // namespace factosim
