#pragma once

#include <string>
#include <vector>

#include "simulator/ring/ring_scenario.hpp"
#include "simulator/scenario/study.hpp"

namespace factosim {

/// Mean times of an iteration by simulation, whatever the scenario asks for.
struct RingSteps {
  Seconds reserved;          // bandwidths set aside, one message after the other: what T_step stands for
  Seconds reserved_at_once;  // the same, both messages at once
  Seconds shared;            // links shared by those that are under way, one after the other
  Seconds shared_at_once;
};

/// A ring, who found it, and how long its iterations take.
struct FoundRing {
  RingHeuristic heuristic;
  Ring ring;
  RingSteps simulated;
};

/// All that one run found out.
struct RingFindings {
  FoundRing chosen;
  RingOutcome outcome;              // of the simulation that the scenario asks for
  std::vector<FoundRing> compared;  // in the order of the scenario
};

/// "slice-ring, max-min".
std::string description(RingHeuristic const& heuristic);

nlohmann::ordered_json ring_metrics(RingScenario const& scenario, RingFindings const& findings);
/// "nodes" and "ring" of result.json.
nlohmann::ordered_json ring_sections(RingScenario const& scenario, RingFindings const& findings);
std::string ring_summary(RingScenario const& scenario, RingFindings const& findings);
/// Slices as tasks, one worker a processor, and messages; needs the records of the outcome.
Trace ring_trace(RingScenario const& scenario, RingFindings const& findings);

}  // namespace factosim
