#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim {

/// Number of tiles sent between nodes in a factorization if the owner of a tile computes it and each version
/// of a tile goes once to each other node that reads it. Computed from the map alone, O(nt^2).
/// Source: Nesi, Schnorr, Legrand, ICPADS 2020, section VI-B.

/// LU without pivoting: A(k,k) goes to the owners of row and column k; A(m,k) to the owners of row m right of
/// k; A(k,n) to the owners of column n below k. The map must be square.
std::uint64_t lu_tiles_sent(TileMap const& map);

/// Cholesky of the lower triangle: A(k,k) goes to the owners of column k; A(m,k) to the owners of row m from
/// k + 1 to m and of column m from m down. The map must be square; its upper triangle is ignored.
std::uint64_t cholesky_tiles_sent(TileMap const& map);

/// The same if A(k,k) is sent once for each A(m,k) of another node below it, as in StarPU's MPI example,
/// which flushes it from the cache after each trsm.
std::uint64_t cholesky_tiles_sent_with_flushes(TileMap const& map);

/// The product C = A B with one map for the three matrices: A(m,k) goes to the other owners of row m, B(k,n)
/// to those of column n.
std::uint64_t product_tiles_sent(TileMap const& map);

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
