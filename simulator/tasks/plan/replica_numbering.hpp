#pragma once

#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// Numbers the replicas of a graph whose tasks are placed, and assigns one to each access. Replicas are
/// numbered by node, then by handle, then in the order of their first use. Returns whether any handle is
/// written on another node than one that has read or written its previous version. O(accesses + replicas).
bool number_replicas(TaskGraph const& graph, OwnersByPlacement const& owners,
                     std::span<NodeId const> node_of_task, std::size_t node_count, ExecutionPlan& plan);

}  // namespace factosim
