#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "distributions/grid_shares.hpp"

namespace factosim {

/// Nodes of unequal speed on a two-dimensional grid, and the shares of its rows and columns.
struct ArrangedGrid {
  Grid grid;
  std::vector<std::uint32_t> nodes;  // [p][q] index into the cycle-times given
  std::vector<double> times;         // [p][q] their cycle-times
  GridShares shares;
  /// Objectives of the heuristic: that of the first arrangement, then one for each step. Else that found.
  std::vector<double> history;
  int iterations = 0;     // steps of the heuristic: arrangements after the first
  bool converged = true;  // false: the heuristic came back to an arrangement, and stopped there
  /// The best that the heuristic saw: its steps do not always better the objective.
  double best_objective = 0;

  [[nodiscard]] double objective() const { return shares.objective(); }
  [[nodiscard]] double mean_workload() const { return shares.mean_workload(times); }
};

/// All of these take one cycle-time a node, above 0, p q or more; of more, the fastest p q nodes are used. Of
/// equally fast nodes the one of the lower number comes first.

/// The nodes as they come, row after row, with the best shares (at most 64 nodes; else ascending ones).
[[nodiscard]] ArrangedGrid arrange_as_given(std::span<double const> times, Grid grid);

/// The best arrangement with the best shares. An optimal one is non-decreasing along rows and columns
/// (theorem 1), so nodes are placed from the fastest to the slowest, each on a corner of those placed. No
/// arrangement is better than the best shares of a rectangle that is placed, all other nodes working all the
/// time: what that shows to be no better than the best known is left out. Exponential: 4 x 4 takes under a
/// second. At most 64 nodes.
///
/// Source: Beaumont, Boudet, Rastello, Robert, IPDPS 2000, sections 4.2 and 4.3; the bound is ours.
[[nodiscard]] ArrangedGrid arrange_exactly(std::span<double const> times, Grid grid);

/// The paper's heuristic, section 4.4: nodes sorted row after row and rank-1 shares; then nodes sorted like
/// r_i c_j, until nothing changes or an arrangement comes back. The result is that of the last step.
[[nodiscard]] ArrangedGrid arrange_by_rank_1(std::span<double const> times, Grid grid);

/// Better: every arrangement that the paper's heuristic saw, and the same by columns, with shares on a tree
/// that no exchange betters, sorted again while that helps; then, from the best, pairs of nodes change places
/// while that helps, those of near speed first, and again after random changes. A number of trials that p q
/// alone decides bounds the time.
[[nodiscard]] ArrangedGrid arrange_by_exchanges(std::span<double const> times, Grid grid);

}  // namespace factosim
