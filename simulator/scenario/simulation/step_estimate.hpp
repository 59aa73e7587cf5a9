#pragma once

#include "simulator/scenario/simulation/makespan_estimate.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

/// Estimates the makespan of LU or Cholesky from a simulation of groups of tasks. `whole` has `work`; `bounds`: its. Throws
/// InputError if the scenario asks for what groups of tasks do not have.
[[nodiscard]] MakespanEstimate estimate_by_steps(TaskPlan const& whole, Bounds const& bounds);

}  // namespace factosim
