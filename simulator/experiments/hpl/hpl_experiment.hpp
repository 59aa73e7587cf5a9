#pragma once

#include "simulator/experiments/hpl/hpl_scenario.hpp"
#include "simulator/report/json/experiment_result.hpp"

namespace factosim {

/// Simulates a run of HPL in the detail of the scenario. At most one simulation over SimGrid in a process.
[[nodiscard]] ExperimentResult simulate_hpl(HplScenario const& scenario);

}  // namespace factosim
