#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

using KindCounts = std::array<std::uint64_t, task_kinds>;

/// [nodes][iterations from 0] number of tasks of each kind on the tiles of each node. O(tiles + nodes nt).
[[nodiscard]] std::vector<std::vector<KindCounts>> tasks_by_iteration(TileMap const& map,
                                                                      Factorization factorization,
                                                                      std::size_t nodes);

/// [nodes][iterations 1..nt] cost of the tiles of each node, ABE_p(k): time with all its workers busy.
[[nodiscard]] std::vector<std::vector<double>> iteration_loads(TileMap const& map,
                                                               Factorization factorization,
                                                               FactorizationCosts const& costs);

}  // namespace factosim
