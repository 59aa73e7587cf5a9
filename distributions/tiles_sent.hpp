#pragma once

#include <cstdint>

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

}  // namespace factosim
