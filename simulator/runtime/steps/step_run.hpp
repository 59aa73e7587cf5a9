#pragma once

#include "simulator/runtime/steps/step_problem.hpp"

namespace factosim {

/// Simulates a factorization by groups of tasks.
[[nodiscard]] StepOutcome run_steps(StepProblem const& problem);

}  // namespace factosim
