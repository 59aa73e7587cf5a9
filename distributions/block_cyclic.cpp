#include "distributions/block_cyclic.hpp"

namespace factosim {

Grid most_square_grid(int nodes) {
  int p = 1;
  for (int candidate = 1; candidate * candidate <= nodes; ++candidate)
    if (nodes % candidate == 0) p = candidate;
  return {p, nodes / p};
}

TileMap block_cyclic(int mt, int nt, Grid grid) {
  TileMap map{mt, nt, {}};
  map.owner.reserve(static_cast<std::size_t>(mt) * static_cast<std::size_t>(nt));
  for (int m = 0; m < mt; ++m)
    for (int n = 0; n < nt; ++n) map.owner.emplace_back((m % grid.p) * grid.q + n % grid.q);
  return map;
}

}  // namespace factosim
