#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace factosim {

/// The unit square cut into one rectangle per node, of an area that is the node's share of all speeds.
struct SquarePartition {
  struct Rectangle {
    double left = 0, top = 0, width = 0, height = 0;
  };
  std::vector<Rectangle> rectangles;  // [nodes]
  /// Where the cut is one of columns: the nodes of each from top to bottom, columns from left to right. Else
  /// empty.
  std::vector<std::vector<std::uint32_t>> columns;

  /// Half the sum of the perimeters, what PERI-SUM minimises: proportional to what nodes send in one update.
  [[nodiscard]] double cost() const;
};

/// No partition costs less: the sum over the nodes of 2 sqrt(share), each rectangle being a square.
/// Source: Beaumont, Boudet, Rastello, Robert, Algorithmica 2002.
[[nodiscard]] double partition_lower_bound(std::span<double const> speeds);

}  // namespace factosim
