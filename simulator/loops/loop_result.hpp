#pragma once

#include "simulator/loops/loop_scenario.hpp"
#include "simulator/report/json/experiment_result.hpp"

namespace factosim {

/// A simulated loop.
struct SimulatedLoop {
  DataParallelScenario const& scenario;
  DataParallelOutcome outcome;
  StaticOptimum optimum;
  BalancerNotes notes;
};

/// Returns its result, JSON, text and, on request, trace.
[[nodiscard]] ExperimentResult result_of_loop(SimulatedLoop const& loop, Topology const& topology,
                                              bool with_trace);

}  // namespace factosim
