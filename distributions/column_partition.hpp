#pragma once

#include <span>

#include "distributions/square_partition.hpp"

namespace factosim {

/// The cheapest partition into columns (PERI-SUM), exact: nodes sorted by speed, the slowest in the first
/// column and at its top, equal ones by number; a column of k nodes with the share S of all speeds costs 1 +
/// k S, and a dynamic program over the sorted nodes finds the cuts, O(P^2). Among cuts of equal cost: the
/// fewest columns. Every speed must be above 0. Source: Beaumont, Boudet, Rastello, Robert, "Matrix
/// multiplication on heterogeneous platforms", TPDS 2001.
///
/// With another `column_cost` than the 1 of PERI-SUM a column costs that + k S: a dearer one gives fewer
/// columns.
[[nodiscard]] SquarePartition column_partition(std::span<double const> speeds, double column_cost = 1);

}  // namespace factosim
