#pragma once

#include <span>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// Prepares a graph for tasks on several nodes, where a message carries one datum to one task and nothing else makes a task
/// wait for another node:
/// - a task that reads what a task on another node wrote has an edge from it, also where other edges imply it;
/// - a task that reads several data that one task on another node wrote reads one datum of their bytes instead, which
///   that task writes as well;
/// - an edge of `explicit_edges` (sorted) between nodes without data gets a datum of 0 bytes;
/// - a node that reads a datum that no task has written, which another node owns, has a copy of its own from the start.
/// `owners` [handles] grows with the data. The tasks are in submission order.
/// Returns the number of tasks whose data were joined. O((edges + accesses) log).
std::size_t connect_nodes(TaskGraph& graph, std::vector<NodeId>& owners, std::span<NodeId const> node_of_task,
                          std::span<std::pair<TaskId, TaskId> const> explicit_edges);

}  // namespace factosim
