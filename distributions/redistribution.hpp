#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim {

/// Tiles of a map's lower triangle per node, [nodes].
[[nodiscard]] std::vector<std::uint64_t> lower_tiles_per_node(TileMap const& map, std::size_t nodes);

/// Algorithm 2: a map near `from` whose nodes own `target` tiles of the lower triangle. Goes through the
/// antidiagonals; of a node that has to give d of its b tiles, the i-th tile met goes to the neediest node
/// where i d reaches the next multiple of b, in whole numbers. The neediest is the one that lacks most, the
/// first one of several. As few tiles move as can be: the sum of what nodes have too many.
/// `target` must sum up to nt (nt + 1) / 2. O(nt^2 nodes).
/// Source: Nesi, Legrand, Schnorr, ICPP 2021, section 4.4.
[[nodiscard]] TileMap redistribute(TileMap const& from, std::span<std::uint64_t const> target);

/// Tiles of the lower triangle whose owners differ.
[[nodiscard]] std::uint64_t moved_tiles(TileMap const& a, TileMap const& b);

/// Whole numbers in proportion to the shares that sum up to `total`: each rounded down, then one more for the
/// largest remainders, equal ones to the highest index.
[[nodiscard]] std::vector<std::uint64_t> whole_shares(std::uint64_t total, std::span<double const> shares);

}  // namespace factosim
