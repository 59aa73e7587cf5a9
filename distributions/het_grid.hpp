#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "distributions/grid_arrangement.hpp"
#include "distributions/kalinov_lastovetsky.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// In which order the tiles of a panel belong to rows and columns of the grid. For a product any order will
/// do; a factorization uses up its matrix from the left and from the top, and what is left of it stays
/// balanced where the one-dimensional algorithm hands out rows and columns from the last to the first.
enum class PanelOrder { consecutive, one_dimensional };

/// Which row of the grid has each row of tiles of a panel, and which column each column.
struct GridPanel {
  std::vector<std::uint32_t> rows;     // [B_p] in 0..p-1
  std::vector<std::uint32_t> columns;  // [B_q] in 0..q-1
};

/// Rows and columns in proportion to the shares r and c: the whole numbers with the sums B_p and B_q that
/// are the soonest done. With one_dimensional, a column of the grid counts as one node that works at the
/// speed of its nodes on the rows that they have, and so does a row. Source: Beaumont, Boudet, Rastello,
/// Robert, IPDPS 2000, section 3.
[[nodiscard]] GridPanel grid_panel(ArrangedGrid const& grid, Panel panel, PanelOrder order);

/// The map of the panel, repeated. Nodes talk to those of their own row and column of the grid only.
[[nodiscard]] TileMap het_grid(int mt, int nt, ArrangedGrid const& grid, GridPanel const& panel);

}  // namespace factosim
