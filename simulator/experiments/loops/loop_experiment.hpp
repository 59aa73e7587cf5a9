#pragma once

#include "simulator/experiments/loops/loop_scenario.hpp"
#include "simulator/report/json/experiment_result.hpp"

namespace factosim {

/// Simulates the loop. Throws InfeasibleError if all workers are lost before its end. At most one simulation
/// over SimGrid in a process.
[[nodiscard]] ExperimentResult simulate_data_parallel(DataParallelScenario const& scenario, bool with_trace);

}  // namespace factosim
