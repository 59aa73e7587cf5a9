#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

using KindCounts = std::array<std::uint64_t, task_kinds>;

/// [nodes][iterations from 0] how many tasks of each kind the owners of the tiles have. O(tiles + nodes nt).
[[nodiscard]] std::vector<std::vector<KindCounts>> tasks_by_iteration(TileMap const& map,
                                                                      Factorization factorization,
                                                                      std::size_t nodes);

/// [nodes][iterations 1..nt] what the tiles of each node cost it: ABE_p(k) where it is busy all the time.
[[nodiscard]] std::vector<std::vector<double>> iteration_loads(TileMap const& map,
                                                               Factorization factorization,
                                                               FactorizationCosts const& costs);

}  // namespace factosim
