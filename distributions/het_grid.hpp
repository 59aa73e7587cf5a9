#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "distributions/block_cyclic.hpp"
#include "distributions/grid_arrangement.hpp"
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

/// Order in which the tiles of a panel belong to rows and columns of the grid. For a product any order is
/// optimal. A factorization consumes its matrix from the left and from the top; its trailing matrix stays
/// balanced if the one-dimensional algorithm assigns rows and columns from the last to the first.
enum class PanelOrder { consecutive, one_dimensional };

/// Grid row of each row of tiles of a panel, and grid column of each column.
struct GridPanel {
  std::vector<std::uint32_t> rows;     // [B_p] in 0..p-1
  std::vector<std::uint32_t> columns;  // [B_q] in 0..q-1
};

/// Rows and columns in proportion to the shares r and c: the whole numbers with sums B_p and B_q of minimum
/// makespan. With one_dimensional, a grid column counts as one node whose speed is the speed of its nodes on
/// their rows; a grid row likewise. Source: Beaumont, Boudet, Rastello, Robert, IPDPS 2000, section 3.
[[nodiscard]] GridPanel grid_panel(ArrangedGrid const& grid, Panel panel, PanelOrder order);

/// Repeats the map of the panel. Nodes communicate only within their row and column of the grid.
[[nodiscard]] TileMap het_grid(int mt, int nt, ArrangedGrid const& grid, GridPanel const& panel);

}  // namespace factosim
