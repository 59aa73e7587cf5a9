#pragma once

#include "simulator/experiments/ring/ring_scenario.hpp"
#include "simulator/report/json/experiment_result.hpp"

namespace factosim {

/// Finds the ring of the scenario's heuristic and those to compare with, and simulates their iterations. At
/// most one simulation over SimGrid in a process. Throws InfeasibleError if there is no ring.
[[nodiscard]] ExperimentResult simulate_ring_experiment(RingScenario const& scenario, bool with_trace);

}  // namespace factosim
