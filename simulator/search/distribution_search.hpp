#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/simulation/task_plan.hpp"

namespace factosim {

/// Limits of a search; if both are given, the first one reached ends it.
struct SearchBudget {
  std::optional<Seconds> time{};
  std::optional<std::uint64_t> evaluations{};
};

struct FoundDistribution {
  TileMap map;
  Seconds makespan;
  std::string start;  // name of the best static distribution; "scenario": the scenario's own
  Seconds start_makespan;
  std::uint64_t evaluations = 0;
  std::vector<std::pair<std::uint64_t, Seconds>> history;  // improvements: evaluation and makespan
};

/// Called after each evaluation.
using SearchProgress = std::function<void(std::uint64_t evaluations, Seconds best)>;

/// Simulates the static distributions and the scenario's own, regardless of the budget; then, within the
/// budget, neighbours of the best member of the family around 1Dx1D-C+S and, after many without improvement,
/// alternately random moves on the best map. Returns the map with the minimum makespan; no map is simulated
/// twice. Random numbers come from the scenario's seed. Throws InputError if a node has no timing of a
/// kernel.
FoundDistribution search_distribution(PlacedScenario const& scenario, SearchBudget const& budget,
                                      SearchProgress const& progress = {});

}  // namespace factosim
