#pragma once

#include <vector>

#include "distributions/one_dimensional.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/id.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// A partition of the unit square with all borders extended across it: its rows and columns are the virtual
/// processors to which the rows and columns of a matrix are distributed. Source: Beaumont, Legrand, Rastello,
/// Robert, "Static LU decomposition on heterogeneous platforms", IJHPCA 2001.
struct VirtualGrid {
  std::vector<double> heights;  // [rows]
  std::vector<double> widths;   // [columns]
  std::vector<NodeId> node;     // [rows][columns]

  [[nodiscard]] NodeId at(std::size_t row, std::size_t column) const {
    return node[row * widths.size() + column];
  }
};

[[nodiscard]] VirtualGrid virtual_grid(SquarePartition const& partition);

/// 1Dx1D: the one-dimensional algorithm distributes the rows of the matrix to the virtual rows of the
/// partition in proportion to their heights, and the columns to the virtual columns in proportion to their
/// widths; a tile belongs to the node at the crossing of its virtual row and column. Asymptotically optimal
/// for every iteration of LU simultaneously, for any partition. Source: Beaumont, Legrand, Rastello, Robert,
/// IJHPCA 2001; ICPADS 2020, section II-B.
[[nodiscard]] TileMap one_by_one(int mt, int nt, SquarePartition const& partition,
                                 TieRule tie = TieRule::highest);

}  // namespace factosim
