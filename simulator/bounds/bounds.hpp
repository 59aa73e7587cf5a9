#pragma once

#include <cstdint>
#include <vector>

#include "factosim/result.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/engine/topology.hpp"
#include "simulator/graph/area_bound.hpp"
#include "simulator/plan/execution_plan.hpp"
#include "simulator/plan/machine.hpp"

namespace factosim {

/// Returns the classes of equal workers of `nodes` nodes of this type.
std::vector<WorkerClass> worker_classes(Machine::Type const& type, std::size_t kernels, std::uint32_t nodes);

/// Returns the number of tasks of each kernel on each node, [nodes][kernels].
std::vector<std::vector<std::uint64_t>> tasks_by_node(TaskGraph const& graph, ExecutionPlan const& plan,
                                                      Machine const& machine);

/// Computes all bounds of a placed graph. Each node must have a worker for each kernel of its tasks.
Bounds compute_bounds(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                      Topology const& topology);

}  // namespace factosim
