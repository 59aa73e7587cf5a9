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

/// The workers of a node, alike ones together, for `nodes` such nodes.
std::vector<WorkerClass> worker_classes(Machine::Type const& type, std::size_t kernels, std::uint32_t nodes);

/// [nodes][kernels] how many tasks of each kernel the plan gives each node.
std::vector<std::vector<std::uint64_t>> tasks_by_node(TaskGraph const& graph, ExecutionPlan const& plan,
                                                      Machine const& machine);

/// All bounds of a placed graph. Every kernel must run somewhere on each node that has tasks of it.
Bounds compute_bounds(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                      Topology const& topology);

}  // namespace factosim
