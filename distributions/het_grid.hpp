#pragma once

#include <cstdint>
#include <vector>

#include "distributions/grid_arrangement.hpp"
#include "distributions/kalinov_lastovetsky.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

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
