#pragma once

#include <cstdint>
#include <vector>

#include "factosim/task_graph.hpp"

namespace factosim {

/// Numbers the tasks of a graph anew: task `order[i]` becomes task i. Afterwards `TaskGraph::submission`
/// holds their places in the sequence of submission. `replicas` is an array parallel to
/// TaskGraph::accesses, which is reordered with it. The successors of each task are sorted by their new numbers.
/// O(tasks + accesses + edges log degree).
void renumber_tasks(TaskGraph& graph, std::vector<std::uint32_t> order, std::vector<ReplicaId>& replicas);

/// Numbers the tasks by submission again.
void number_by_submission(TaskGraph& graph);

/// All tasks in the order of submission, which is a topological order.
[[nodiscard]] std::vector<TaskId> in_submission_order(TaskGraph const& graph);

}  // namespace factosim
