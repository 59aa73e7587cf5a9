#pragma once

#include <vector>

#include "simulator/sweep/sweep_choice.hpp"

namespace factosim {

/// {"nodes": [{"type", "count"}, ...]}: sets of nodes, where a count is a number or several (all of them as
/// many); the sets become "/platform/nodes", and a count of 0 leaves a type out. Throws InputError.
[[nodiscard]] std::vector<SweepChoice> read_strong_scaling(JsonReader const& json);

/// As strong scaling, with a matrix that grows with the number of nodes from "nt" tiles a side with the first
/// set: "constant" is "memory" (nt^2 a node, the default) or "work" (nt^3 a node). Throws InputError.
[[nodiscard]] std::vector<SweepChoice> read_weak_scaling(JsonReader const& json);

}  // namespace factosim
