#pragma once

#include <span>

#include "distributions/square_partition.hpp"

namespace factosim {

/// Exact optimum of PERI-SUM restricted to columns. Nodes are sorted by speed, ties by number; the slowest is
/// at the top of the first column. A column of k nodes with share S of the total speed costs 1 + k S; a
/// dynamic program over the sorted nodes finds the cuts in O(P^2). Of cuts with equal cost, the one with the
/// fewest columns is returned. All speeds must be > 0.
///
/// `column_cost` replaces the 1 in the cost of a column; a larger value gives fewer columns.
/// Source: Beaumont, Boudet, Rastello, Robert, "Matrix multiplication on heterogeneous platforms", TPDS 2001.
[[nodiscard]] SquarePartition column_partition(std::span<double const> speeds, double column_cost = 1);

}  // namespace factosim
