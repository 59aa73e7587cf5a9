#pragma once

#include "distributions/factorization_work.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Estimates the makespan of a factorization, in seconds, from what each node computes, sends and receives in each
/// iteration. Iteration by iteration, the panel goes through: diagonal task, its messages, panel tasks, messages
/// to the next panel, updates of the next panel. Each node's card sends and receives the panels in turn, and each
/// node does the work of an iteration after that of the one before and after the iteration's tiles have come.
/// O(nt^2 + nt nodes (owners in a row)).
[[nodiscard]] double schedule_estimate(TileMap const& map, Factorization factorization,
                                       FactorizationCosts const& costs);

}  // namespace factosim
