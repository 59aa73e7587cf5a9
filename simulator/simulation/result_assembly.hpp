#pragma once

#include "factosim/result.hpp"
#include "simulator/cluster/cluster.hpp"
#include "simulator/simulation/task_plan.hpp"

namespace factosim {

/// Returns the result of a simulated plan: its outcome with the bounds and energies. Leaves out the
/// provenance.
[[nodiscard]] Result result_of(TaskPlan const& plan, SimulationOutcome const& outcome,
                               Result::Cost const& cost);

/// Returns the rate, in GFlop/s, of the plan's application with that makespan.
[[nodiscard]] double gflops(TaskPlan const& plan, Seconds makespan);

}  // namespace factosim
