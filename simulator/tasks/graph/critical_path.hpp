#pragma once

#include <functional>
#include <vector>

#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

struct CriticalPath {
  Seconds length;
  std::vector<TaskId> tasks;  // in the order of execution
};

using EdgeTime = std::function<Seconds(TaskId from, TaskId to)>;

/// Returns the longest chain of tasks if task t takes `durations[t]` and each edge takes `edge_time(from, to)`,
/// or no time without `edge_time`. No schedule is shorter. Tasks may be numbered in any order, as in a recorded
/// run. O(tasks + edges) if the submission order is topological, otherwise O(edges + tasks log tasks).
CriticalPath critical_path(TaskGraph const& graph, std::vector<Seconds> durations,
                           EdgeTime const& edge_time = {});

/// Returns the tasks in submission order if each then follows its predecessors, otherwise in another
/// topological order. O(tasks + edges), or O(edges + tasks log tasks).
[[nodiscard]] std::vector<TaskId> ordered_tasks(TaskGraph const& graph);

}  // namespace factosim
