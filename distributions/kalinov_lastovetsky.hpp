#pragma once

#include <span>

#include "distributions/block_cyclic.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// What repeats down and to the right, in tiles (B_p x B_q in the paper).
struct Panel {
  int rows = 1;
  int columns = 1;
};

/// Heterogeneous block-cyclic on a p x q grid, node i q + j in its row i and column j. Columns of tiles go to
/// grid columns in proportion to the speed of all nodes of each; within a grid column, rows of tiles go to
/// its nodes in proportion to theirs. Loads balance, and rows of the grid do not line up from one grid column
/// to the next, so a node may have more than one neighbour on its left. Both orders are those of Algorithm 1
/// (one_dimensional) from the last tile to the first.
///
/// Source: Kalinov, Lastovetsky, HPCN Europe 1999 and J. Parallel Distrib. Comput. 61(4), 2001; the order
/// within a panel as Beaumont, Boudet, Rastello, Robert, IPDPS 2000, section 3.2.2.
TileMap kalinov_lastovetsky(int mt, int nt, Grid grid, std::span<double const> speeds);

/// The same with a period: the map of one panel, repeated.
TileMap kalinov_lastovetsky(int mt, int nt, Grid grid, std::span<double const> speeds, Panel panel);

}  // namespace factosim
