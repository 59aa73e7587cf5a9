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

/// The chain of tasks that takes longest, when each task takes `durations[t]` and each edge `edge_time(from,
/// to)` (none: edges take no time). No schedule is shorter. Tasks may be numbered in any order, as in a
/// recorded run. O(tasks + edges), by Boost.Graph.
CriticalPath critical_path(TaskGraph const& graph, std::vector<Seconds> durations,
                           EdgeTime const& edge_time = {});

/// Only its length, for a graph whose submission order is topological: with less time and memory.
Seconds critical_path_length(TaskGraph const& graph, std::vector<Seconds> durations,
                             EdgeTime const& edge_time = {});

}  // namespace factosim
