#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "distributions/ring/ring_methods.hpp"
#include "platforms/processor_graph_json.hpp"
#include "simulator/experiments/experiment.hpp"
#include "simulator/experiments/ring/ring_simulation.hpp"

namespace factosim {

/// A method that finds a ring, with one that shares its links.
struct RingHeuristic {
  RingMethod method = RingMethod::search;
  RingRefinement refinement = RingRefinement::quadratic;

  bool operator==(RingHeuristic const&) const = default;
};

/// A scenario of the application "ring", checked.
struct RingScenario {
  GraphPlatform platform;
  double work = 0;                 // W
  std::int64_t message_bytes = 0;  // H
  RingHeuristic heuristic;         // the one whose ring is simulated
  std::vector<RingHeuristic> compare;
  std::optional<Ring> given{};  // order and paths of the method `given`
  RingSimulationOptions simulation;

  /// Refers to the platform's graph.
  [[nodiscard]] RingProblem problem() const {
    return {platform.graph, work, static_cast<double>(message_bytes)};
  }
};

/// Finds the ring of the scenario's heuristic and those to compare with, and simulates their iterations. At
/// most one simulation over SimGrid in a process. Throws InfeasibleError if there is no ring.
[[nodiscard]] ExperimentResult simulate_ring_experiment(RingScenario const& scenario, bool with_trace);

}  // namespace factosim
