#pragma once

#include <span>

#include "distributions/block_cyclic.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Period of the map, in tiles (B_p x B_q in the paper).
struct Panel {
  int rows = 1;
  int columns = 1;
};

/// Heterogeneous block-cyclic on a p x q grid; node i q + j is in row i and column j. Columns of tiles are
/// distributed to grid columns in proportion to the total speed of their nodes; within a grid column, rows of
/// tiles are distributed to its nodes in proportion to their speeds. Loads are balanced, but rows of
/// different grid columns do not align, so a node may have several neighbours on its left. Both orders are
/// those of Algorithm 1 (one_dimensional) from the last tile to the first.
///
/// Source: Kalinov, Lastovetsky, HPCN Europe 1999 and J. Parallel Distrib. Comput. 61(4), 2001; the order
/// within a panel as Beaumont, Boudet, Rastello, Robert, IPDPS 2000, section 3.2.2.
TileMap kalinov_lastovetsky(int mt, int nt, Grid grid, std::span<double const> speeds);

/// The same for one panel, which is repeated.
TileMap kalinov_lastovetsky(int mt, int nt, Grid grid, std::span<double const> speeds, Panel panel);

}  // namespace factosim
