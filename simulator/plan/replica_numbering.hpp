#pragma once

#include "simulator/plan/execution_plan.hpp"

namespace factosim {

/// Numbers the replicas of a graph whose tasks are placed and gives each access its own: node after node,
/// within one by handle, in the order in which they come to be there. Returns whether something is written on
/// another node than where the version before it was read or written. O(accesses + replicas).
bool number_replicas(TaskGraph const& graph, OwnersByPlacement const& owners,
                     std::span<NodeId const> node_of_task, std::size_t node_count, ExecutionPlan& plan);

}  // namespace factosim
