#pragma once

#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/scenario/simulation/makespan_estimate.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

/// Estimates the makespan of a tiled application from simulations of some of its iterations, each window with the data on
/// their owners at its start, until the tolerance of the scenario's "detail" is reached. `whole` has `work`; `bounds`: its.
[[nodiscard]] MakespanEstimate estimate_by_samples(TaskPlan const& whole, Bounds const& bounds,
                                                   ProgressCallback const& progress);

}  // namespace factosim
