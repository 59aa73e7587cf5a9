#pragma once

#include <array>
#include <string>
#include <vector>

#include "simulator/studies/search/simulated_maps.hpp"

namespace factosim {

/// Distributions that a search can start from, in the order in which it simulates them.
inline constexpr std::array search_starts{"1d1d-c+s", "1d1d-c", "1d1d",  "block-cyclic",
                                          "g-2dbc",   "sbc",    "1d1d-l"};

struct SearchOptions {
  SearchLimits limits{};
  // Those of `search_starts` that are simulated if they exist for the application and its nodes.
  std::vector<std::string> starts{search_starts.begin(), search_starts.end()};
};

/// Simulates the starting distributions and the scenario's own, regardless of the limits, and 1Dx1D-L unless they are
/// reached before; the simulations by which it chooses its map do not count. Then, within the limits, neighbours of
/// the best member of the family around 1Dx1D-C+S and, after many without improvement, alternately random moves on the
/// best map. Returns the map with the minimum makespan; no map is simulated twice. Random numbers come from the
/// scenario's seed. Throws InputError if a node has no timing of a kernel. Of a scenario with layers: see search_layers.
FoundDistribution search_distribution(PlacedScenario const& scenario, SearchOptions const& options,
                                      SearchProgress const& progress = {});

}  // namespace factosim
