#pragma once

#include <span>
#include <vector>

#include "distributions/block_cyclic.hpp"

namespace factosim {

/// Shares of the matrix for each row and column of a grid of nodes: node (i, j) is busy for the fraction r_i
/// t_ij c_j <= 1 of the time.
struct GridShares {
  std::vector<double> r;  // [p]
  std::vector<double> c;  // [q]

  /// Tiles that the grid updates per unit of time: sum(r) sum(c), Obj_2 of the paper.
  [[nodiscard]] double objective() const;
  /// Average of r_i t_ij c_j; `times` [p][q].
  [[nodiscard]] double mean_workload(std::span<double const> times) const;
};

/// Returns the shares with these rows and the largest columns that the times [p][q] allow.
[[nodiscard]] GridShares with_largest_columns(std::vector<double> r, std::span<double const> times);

/// Returns the optimal shares for a given arrangement, by cycle times [p][q], row-major, all > 0. Optimal
/// shares make r_i t_ij c_j = 1 along a spanning tree of the bipartite graph of rows and columns, and <= 1
/// elsewhere. There are C(p + q - 2, p - 1) such trees, connected by exchanges of one edge; all are visited
/// in O(p q (p + q)) each. At most 64 places. r_1 = 1.
///
/// Source: Beaumont, Boudet, Rastello, Robert, IPDPS 2000, section 4.3.1; number of feasible trees: Develin,
/// Sturmfels, Tropical convexity, Documenta Math. 9, 2004.
[[nodiscard]] GridShares best_shares(std::span<double const> times, Grid grid);

/// Returns shares that no exchange of one edge improves, by ascent from `start`; r_1 = 1. Any grid size.
[[nodiscard]] GridShares ascend_shares(std::span<double const> times, Grid grid, GridShares start);

/// The paper's shares, section 4.4.2: the best rank-1 approximation of the matrix 1 / t_ij (SVD), scaled so
/// that every row and every column has a node that is never idle.
[[nodiscard]] GridShares rank_1_shares(std::span<double const> times, Grid grid);

}  // namespace factosim
