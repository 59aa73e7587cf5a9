#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim {

/// [nodes] tiles of the lower triangle of the map.
[[nodiscard]] std::vector<std::uint64_t> lower_tiles_per_node(TileMap const& map, std::size_t nodes);

/// Algorithm 2: returns a map close to `from` whose nodes own `target` tiles of the lower triangle. Visits
/// the antidiagonals; if a node must give d of its b tiles, its i-th visited tile is given away when i d
/// reaches the next multiple of b (integer arithmetic). The receiver is the node that lacks most tiles, ties
/// by number. The number of moved tiles is minimal: the sum of all surpluses. `target` must sum up to nt (nt
/// + 1) / 2. O(nt^2 nodes).
/// Source: Nesi, Legrand, Schnorr, ICPP 2021, section 4.4.
[[nodiscard]] TileMap redistribute(TileMap const& from, std::span<std::uint64_t const> target);

/// Number of tiles of the lower triangle whose owners differ.
[[nodiscard]] std::uint64_t moved_tiles(TileMap const& a, TileMap const& b);

/// Whole numbers in proportion to the shares with the sum `total`: rounded down, then one more for the
/// largest remainders, ties to the highest index.
[[nodiscard]] std::vector<std::uint64_t> whole_shares(std::uint64_t total, std::span<double const> shares);

}  // namespace factosim
