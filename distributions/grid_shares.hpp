#pragma once

#include <span>
#include <vector>

#include "distributions/block_cyclic.hpp"

namespace factosim {

/// What each row and column of a grid of nodes gets of the matrix: node (i, j) works r_i t_ij c_j of the
/// time, never more than 1.
struct GridShares {
  std::vector<double> r;  // [p]
  std::vector<double> c;  // [q]

  /// Tiles that the grid updates in one unit of time: the sum of r by that of c (Obj_2 of the paper).
  [[nodiscard]] double objective() const;
  /// The mean of r_i t_ij c_j; `times` [p][q].
  [[nodiscard]] double mean_workload(std::span<double const> times) const;
};

/// The best shares for nodes whose places in the grid are given, by their cycle-times [p][q], row-major, all
/// above 0. Optimal shares make r_i t_ij c_j = 1 along a spanning tree of the bipartite graph of rows and
/// columns, and at most 1 elsewhere; such trees are C(p + q - 2, p - 1), each reached from another by
/// exchanging an edge, and all are visited: O(p q (p + q)) each. At most 64 places. r_1 = 1.
///
/// Source: Beaumont, Boudet, Rastello, Robert, IPDPS 2000, section 4.3.1; the number of acceptable trees:
/// Develin, Sturmfels, Tropical convexity, Documenta Math. 9, 2004.
[[nodiscard]] GridShares best_shares(std::span<double const> times, Grid grid);

/// Shares that no exchange of one edge betters, from those of `start` on; r_1 = 1. For any grid.
[[nodiscard]] GridShares ascend_shares(std::span<double const> times, Grid grid, GridShares start);

/// The paper's shares, section 4.4.2: the rank-1 matrix nearest to that of 1 / t_ij by singular values,
/// scaled so that every row and every column has a node that works all the time.
[[nodiscard]] GridShares rank_1_shares(std::span<double const> times, Grid grid);

}  // namespace factosim
