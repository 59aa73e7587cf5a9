#pragma once

#include "simulator/studies/search/simulated_maps.hpp"

namespace factosim {

/// The search for a scenario with layers: simulates its own and, within the limits, first_layer_choices, which may be the
/// start "layers", then random neighbours of the best choice of a random number of layers. Throws InputError if a node has
/// no timing of a kernel, InfeasibleError if no map fits into the memory of the nodes.
[[nodiscard]] FoundDistribution search_layers(PlacedScenario const& scenario, SearchLimits const& limits,
                                              SearchProgress const& progress);

}  // namespace factosim
