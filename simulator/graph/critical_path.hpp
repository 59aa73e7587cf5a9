#pragma once

#include <functional>
#include <span>
#include <vector>

#include "simulator/core/quantity.hpp"
#include "simulator/graph/task_graph.hpp"

namespace factosim {

struct CriticalPath {
  Seconds length;
  std::vector<TaskId> tasks;  // in the order of execution
};

/// The chain of tasks that takes longest, when each task takes `durations[t]` and each edge `edge_time(from,
/// to)` (none: edges take no time). No schedule is shorter. O(tasks + edges), by Boost.Graph.
CriticalPath critical_path(TaskGraph const& graph, std::span<Seconds const> durations,
                           std::function<Seconds(TaskId from, TaskId to)> const& edge_time = {});

}  // namespace factosim
