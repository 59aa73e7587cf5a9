#pragma once

#include <cstddef>

#include "factosim/tile_map.hpp"

namespace factosim {

/// A grid of p rows and q columns of nodes.
struct Grid {
  int p = 1;
  int q = 1;

  /// Row-major index of the node in row i and column j.
  [[nodiscard]] std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(q) + static_cast<std::size_t>(j);
  }
};

/// Returns the most nearly square grid p x q = `nodes` with p <= q.
inline Grid most_square_grid(int nodes) {
  int p = 1;
  for (int candidate = 1; candidate * candidate <= nodes; ++candidate)
    if (nodes % candidate == 0) p = candidate;
  return {p, nodes / p};
}

/// Two-dimensional block-cyclic map: tile (m, n) belongs to node (m mod p) q + (n mod q).
/// Source: Blackford et al., ScaLAPACK (1996); the standard map of dense linear algebra on equal nodes.
inline TileMap block_cyclic(int mt, int nt, Grid grid) {
  return tile_map(mt, nt, [&](int m, int n) { return (m % grid.p) * grid.q + n % grid.q; });
}

}  // namespace factosim
