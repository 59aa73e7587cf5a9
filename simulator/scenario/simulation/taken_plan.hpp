#pragma once

#include "factosim/result.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "simulator/traces/trace/records.hpp"

namespace factosim {

/// Returns the plan of the tasks that a run with recursive tasks has taken, and renumbers the run's outcome and its
/// records, which may be null. O(tasks + accesses).
[[nodiscard]] TaskPlan taken_plan(TaskPlan const& all, SimulationOutcome& outcome, TraceRecords* records);

/// Returns the bounds of the makespan that hold for all forms of the plan's recursive tasks (`PlannedRecursion`).
[[nodiscard]] Bounds bounds_of_all_forms(TaskPlan const& plan);

}  // namespace factosim
