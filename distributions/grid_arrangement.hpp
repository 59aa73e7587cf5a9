#pragma once

#include <cstdint>
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

/// An arrangement that the heuristic has visited.
struct GridStep {
  std::vector<std::uint32_t> nodes;  // [p][q]
  std::vector<double> times;         // [p][q] cycle times
  GridShares shares;
};

/// Nodes of unequal speed on a two-dimensional grid, with the shares of its rows and columns.
struct ArrangedGrid {
  Grid grid;
  std::vector<std::uint32_t> nodes;  // [p][q] index into the given cycle times
  std::vector<double> times;         // [p][q] cycle times
  GridShares shares;
  /// Objective of the first arrangement, then after each step of the heuristic. Other methods: the final
  /// objective.
  std::vector<double> history;
  int iterations = 0;     // steps of the heuristic, without the first arrangement
  bool converged = true;  // false: the heuristic stopped because an arrangement repeated
  /// The best objective seen by the heuristic, whose steps do not always improve it.
  double best_objective = 0;
  std::vector<GridStep> steps{};  // of the heuristic, the first arrangement included; otherwise empty

  [[nodiscard]] double objective() const { return shares.objective(); }
  [[nodiscard]] double mean_workload() const { return shares.mean_workload(times); }
};

/// All functions take one cycle time > 0 per node, at least p q of them, and use the fastest p q nodes. Of
/// equally fast nodes the lower number comes first.

/// Places the nodes in the given order, row by row, with optimal shares (above 64 nodes: ascended shares).
[[nodiscard]] ArrangedGrid arrange_as_given(std::span<double const> times, Grid grid);

/// Returns the optimal arrangement with optimal shares. An optimal arrangement is non-decreasing along rows
/// and columns (theorem 1), so nodes are placed from the fastest to the slowest, each on a corner of the
/// nodes placed before. Upper bound of a partial arrangement: the optimal shares of a complete rectangle,
/// with all other nodes never idle; partial arrangements whose bound does not exceed the best solution are
/// pruned. Exponential: 4 x 4 takes under 1 s. At most 64 nodes.
///
/// Source: Beaumont, Boudet, Rastello, Robert, IPDPS 2000, sections 4.2 and 4.3; the bound is new here.
[[nodiscard]] ArrangedGrid arrange_exactly(std::span<double const> times, Grid grid);

/// The paper's heuristic, section 4.4: nodes sorted row by row and rank-1 shares; then nodes sorted by r_i
/// c_j, until the arrangement no longer changes or repeats. Returns the result of the last step.
[[nodiscard]] ArrangedGrid arrange_by_rank_1(std::span<double const> times, Grid grid);

/// Improves the paper's heuristic: takes every arrangement of that heuristic, and the same by columns, with
/// shares that no exchange of a tree edge improves, sorted again while that helps. Then swaps pairs of nodes
/// of the best one, those of similar speed first, and restarts after random swaps. The number of trials
/// depends on p q only and bounds the time.
[[nodiscard]] ArrangedGrid arrange_by_exchanges(std::span<double const> times, Grid grid);

}  // namespace factosim
