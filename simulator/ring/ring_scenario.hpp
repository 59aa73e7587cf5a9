#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "distributions/ring/ring_methods.hpp"
#include "platforms/processor_graph_json.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/ring/ring_simulation.hpp"

namespace factosim {

/// A way to find a ring and to share its links.
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
  RingHeuristic heuristic;         // whose ring is simulated
  std::vector<RingHeuristic> compare;
  RingSimulationOptions simulation;

  /// References the platform's graph.
  [[nodiscard]] RingProblem problem() const {
    return {platform.graph, work, static_cast<double>(message_bytes)};
  }
};

/// Reads "platform", "application" and "network"; `seed` draws a random platform. Throws InputError.
RingScenario read_ring_scenario(JsonReader const& scenario, std::uint64_t seed);

/// Every option with its value.
nlohmann::ordered_json effective_ring(RingScenario const& scenario);

}  // namespace factosim
