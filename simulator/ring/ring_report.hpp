#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/ring/ring_scenario.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// Mean times of a simulated iteration, for all four combinations of a scenario's options.
struct RingSteps {
  Seconds reserved;          // reserved bandwidths, one message after the other: the case of T_step
  Seconds reserved_at_once;  // the same, both messages at once
  Seconds shared;            // links shared by messages in transit, one after the other
  Seconds shared_at_once;
};

/// A ring, the heuristic that found it, and the times of its iterations.
struct FoundRing {
  RingHeuristic heuristic;
  Ring ring;
  RingSteps simulated;
};

/// The rings that one run has found and simulated.
struct RingFindings {
  FoundRing chosen;
  RingOutcome outcome;              // of the simulation that the scenario asks for
  std::vector<FoundRing> compared;  // in the order of the scenario
};

/// Returns "slice-ring, max-min", for example.
[[nodiscard]] std::string description(RingHeuristic const& heuristic);

[[nodiscard]] nlohmann::ordered_json ring_metrics(RingScenario const& scenario, RingFindings const& findings);
/// Returns "nodes" and "ring" of result.json.
[[nodiscard]] nlohmann::ordered_json ring_sections(RingScenario const& scenario,
                                                   RingFindings const& findings);
[[nodiscard]] std::string ring_summary(RingScenario const& scenario, RingFindings const& findings);
/// Returns slices as tasks, one worker per processor, and messages. Needs an outcome with records.
[[nodiscard]] Trace ring_trace(RingScenario const& scenario, RingFindings const& findings);

}  // namespace factosim
