#pragma once

#include "factosim/result.hpp"
#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"

namespace factosim {

/// A tiled application of which not every task is simulated: see the scenario's "detail".
struct EstimatePlan {
  PlacedScenario scenario;
};

/// Estimates the makespan as the scenario says. Calls `progress` with the number of tasks that have been simulated.
/// Throws as `plan_tasks`.
[[nodiscard]] Result estimate_run(EstimatePlan const& plan, ProgressCallback const& progress);

}  // namespace factosim
