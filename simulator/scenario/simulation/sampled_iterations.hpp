#pragma once

#include "factosim/result.hpp"
#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

/// A makespan that was not simulated, and how it was found.
struct MakespanEstimate {
  Seconds makespan;
  Result::Detail detail;
};

/// Estimates the makespan of a tiled application from simulations of some of its iterations, each window with the data on
/// their owners at its start, until the tolerance of the scenario's "detail" is reached. `bounds`: of the whole.
[[nodiscard]] MakespanEstimate estimate_by_samples(TaskPlan const& whole, Bounds const& bounds,
                                                   ProgressCallback const& progress);

}  // namespace factosim
