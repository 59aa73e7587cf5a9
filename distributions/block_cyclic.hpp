#pragma once

#include "simulator/core/tile_map.hpp"

namespace factosim {

/// p rows and q columns of nodes.
struct Grid {
  int p = 1;
  int q = 1;
};

/// The grid of `nodes` = p q with p <= q that is nearest to a square.
Grid most_square_grid(int nodes);

/// Two-dimensional block-cyclic: tile (m, n) on node (m mod p) q + (n mod q).
/// Source: Blackford et al., ScaLAPACK (1996); the usual map of dense linear algebra on equal nodes.
TileMap block_cyclic(int mt, int nt, Grid grid);

}  // namespace factosim
