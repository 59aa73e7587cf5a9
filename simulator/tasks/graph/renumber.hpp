#pragma once

#include <cstdint>
#include <vector>

#include "factosim/task_graph.hpp"

namespace factosim {

/// Renumbers the tasks of a graph: task `order[i]` becomes task i. Afterwards `TaskGraph::submission` has their
/// places in the submission order. `accesses_too` is parallel to TaskGraph::accesses and is reordered in the
/// same way. The successors of each task are sorted by their new numbers.
/// O(tasks + accesses + edges log degree).
void renumber_tasks(TaskGraph& graph, std::vector<std::uint32_t> order, std::vector<ReplicaId>& replicas);

/// Restores the numbering by submission.
void number_by_submission(TaskGraph& graph);

/// Returns all tasks in submission order.
[[nodiscard]] std::vector<TaskId> in_submission_order(TaskGraph const& graph);

}  // namespace factosim
