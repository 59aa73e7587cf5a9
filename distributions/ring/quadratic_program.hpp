#pragma once

#include "distributions/ring/ring.hpp"

namespace factosim {

/// What became of the program.
struct QuadraticSolution {
  Ring ring;
  int iterations = 0;  // of the interior-point method
  bool optimal =
      false;  // it says that it has converged; else the better of its last point and the ring given
};

/// The slides' refinement "quadratic resolution": alpha and all bandwidths at once, for the order and the
/// paths that the ring has (its own alpha and bandwidths are only where the search starts):
///
///   min T    alpha_i W w_i + H (c_i,succ + c_i,pred) <= T,  sum of alpha = 1,  alpha >= 0,
///            s_p c_p >= 1,  sum over the paths of a link of s_p <= b
///
/// with c_p = 1 / s_p put in (at an optimum nothing is gained by less), which leaves a convex program, so
/// that what Ipopt finds is the optimum. A path needs the same bandwidth on all of its links.
QuadraticSolution solve_quadratic_program(RingProblem const& problem, Ring const& start);

}  // namespace factosim
