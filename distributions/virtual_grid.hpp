#pragma once

#include <vector>

#include "distributions/square_partition.hpp"
#include "factosim/id.hpp"

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

}  // namespace factosim
