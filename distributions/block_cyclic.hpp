#pragma once

#include <cstddef>

#include "factosim/tile_map.hpp"

namespace factosim {

/// p rows and q columns of nodes.
struct Grid {
  int p = 1;
  int q = 1;

  /// Of the node in row i and column j, row by row.
  [[nodiscard]] std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(q) + static_cast<std::size_t>(j);
  }
};

/// The grid of `nodes` = p q with p <= q that is nearest to a square.
Grid most_square_grid(int nodes);

/// Two-dimensional block-cyclic: tile (m, n) on node (m mod p) q + (n mod q).
/// Source: Blackford et al., ScaLAPACK (1996); the usual map of dense linear algebra on equal nodes.
TileMap block_cyclic(int mt, int nt, Grid grid);

}  // namespace factosim
