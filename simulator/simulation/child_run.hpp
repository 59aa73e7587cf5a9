#pragma once

#include "simulator/runtime/noise.hpp"
#include "simulator/simulation/task_plan.hpp"

namespace factosim {

/// Simulates the plan with that noise in a process of its own, since SimGrid keeps static state, and returns the makespan.
/// SimGrid must not have been used in this process before.
[[nodiscard]] Seconds simulate_in_child(TaskPlan const& plan, NoiseOptions const& noise);

}  // namespace factosim
