#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/search/map_evaluator.hpp"

namespace factosim {

struct FoundDistribution {
  TileMap map;
  Seconds makespan;
  std::string start;  // type of the best static distribution; "scenario": the scenario's own
  Seconds start_makespan;
  std::uint64_t evaluations = 0;
  std::vector<std::pair<std::uint64_t, Seconds>> history;  // improvements: evaluation and makespan
};

/// Told after each evaluation.
using SearchProgress = std::function<void(std::uint64_t evaluations, Seconds best)>;

/// Simulates the static distributions and the scenario's own, whatever the budget; then, while it lasts, maps
/// of the family around 1Dx1D-C+S near the best of them, and where many in a row were no better, in turn with
/// these, the best map of all with a random move. Keeps the map with the least makespan; no map is simulated
/// twice. Draws from the scenario's seed. Throws InputError where a node has no timing of a kernel.
FoundDistribution search_distribution(PlacedScenario const& scenario, SearchBudget const& budget,
                                      SearchProgress const& progress = {});

}  // namespace factosim
