#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace factosim {

/// The unit square cut into one rectangle per node, with the node's share of the total speed as its area.
struct SquarePartition {
  struct Rectangle {
    double left = 0, top = 0, width = 0, height = 0;
  };
  std::vector<Rectangle> rectangles;  // [nodes]
  /// Column partitions: the nodes of each column from top to bottom, columns from left to right. Otherwise
  /// empty.
  std::vector<std::vector<std::uint32_t>> columns;

  /// Half the sum of the perimeters, the objective of PERI-SUM: proportional to the communication of one
  /// update.
  [[nodiscard]] double cost() const;
};

/// Lower bound of the cost of any partition: the sum over the nodes of 2 sqrt(share), with every rectangle a
/// square.
/// Source: Beaumont, Boudet, Rastello, Robert, Algorithmica 2002.
[[nodiscard]] double partition_lower_bound(std::span<double const> speeds);

}  // namespace factosim
