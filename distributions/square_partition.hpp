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

/// Exact optimum of PERI-SUM restricted to columns. Nodes are sorted by speed, ties by number; the slowest is
/// at the top of the first column. A column of k nodes with share S of the total speed costs 1 + k S; a
/// dynamic program over the sorted nodes finds the cuts in O(P^2). Of cuts with equal cost, the one with the
/// fewest columns is returned. All speeds must be > 0.
///
/// `column_cost` replaces the 1 in the cost of a column; a larger value gives fewer columns.
/// Source: Beaumont, Boudet, Rastello, Robert, "Matrix multiplication on heterogeneous platforms", TPDS 2001.
[[nodiscard]] SquarePartition column_partition(std::span<double const> speeds, double column_cost = 1);

/// Recursive dissection of the unit square: the nodes, fastest first, are split into the shortest prefix with
/// at least a third of their total speed and the rest; the rectangle is cut in proportion across its longer
/// side; both parts are dissected in the same way. Costs at most 5/4 of the optimal partition. A node of
/// speed 0 gets an empty rectangle. O(P^2) in the worst case (each prefix is a single node), O(P log P) for
/// equal speeds.
///
/// Source: Nagamochi, Abe, Discrete Applied Mathematics 155(4), 2007.
[[nodiscard]] SquarePartition nagamochi_abe(std::span<double const> speeds);

}  // namespace factosim
