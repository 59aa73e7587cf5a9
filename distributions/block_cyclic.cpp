#include "distributions/block_cyclic.hpp"

namespace factosim {

Grid most_square_grid(int nodes) {
  int p = 1;
  for (int candidate = 1; candidate * candidate <= nodes; ++candidate)
    if (nodes % candidate == 0) p = candidate;
  return {p, nodes / p};
}

TileMap block_cyclic(int mt, int nt, Grid grid) {
  return tile_map(mt, nt, [&](int m, int n) { return (m % grid.p) * grid.q + n % grid.q; });
}

}  // namespace factosim
