#pragma once

#include <vector>

#include "simulator/sweep/sweep_choice.hpp"

namespace factosim {

/// Reads {"nodes": [{"type", "count"}, ...]}: sets of nodes. A count is a number or a list (all lists have
/// the same length); the sets become "/platform/nodes", and a count of 0 omits a type. Throws InputError.
[[nodiscard]] std::vector<SweepChoice> read_strong_scaling(JsonReader const& json);

/// Strong scaling with a matrix that grows with the number of nodes, from "nt" tiles per side for the first
/// set. "constant" is "memory" (nt^2 per node, the default) or "work" (nt^3 per node). Throws InputError.
[[nodiscard]] std::vector<SweepChoice> read_weak_scaling(JsonReader const& json);

}  // namespace factosim
