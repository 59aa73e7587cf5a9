#pragma once

#include <vector>

#include "simulator/runtime/execution_plan.hpp"

namespace factosim {

/// Numbers the replicas of a graph whose tasks are placed and gives each access its own. Returns, for each
/// access that reads, the task that wrote the version read: [accesses], none where it is the initial one or
/// nothing is read. O(accesses + replicas).
std::vector<TaskId> number_replicas(TaskGraph const& graph, OwnersByPlacement const& owners,
                                    ExecutionPlan& plan, std::size_t node_count);

}  // namespace factosim
