#pragma once

#include <span>

#include "factosim/task_graph.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

// Each throws InfeasibleError if a memory is too small for what it must hold.

/// Checks that the GPUs can hold the tiles of the tasks in their pipelines.
void check_gpu_memory(PlacedScenario const& s, Bytes tile);

/// Checks that the RAM of each node can hold its tiles, `owned` bytes: [nodes]. Received tiles are only counted in the run.
void check_ram(PlacedScenario const& s, std::span<Bytes const> owned);

/// Checks that each GPU can hold the data of each task that it can run: a task that cannot start would wait for ever.
void check_gpus_hold(PlacedScenario const& s, TaskGraph const& graph, ExecutionPlan const& plan,
                     Machine const& machine);

/// Checks that each RAM of a node out of core holds what its workers use at once, or they would wait for each other, and
/// that its disk holds all tiles.
void check_out_of_core(PlacedScenario const& s, TaskGraph const& graph, ExecutionPlan const& plan,
                       Machine const& machine);

}  // namespace factosim
