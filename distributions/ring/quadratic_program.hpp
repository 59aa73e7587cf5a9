#pragma once

#include "distributions/ring/ring.hpp"

namespace factosim {

struct QuadraticSolution {
  Ring ring;             // if not optimal: the better of the last point and the given ring
  int iterations = 0;    // of the interior-point method
  bool optimal = false;  // the method has converged
};

/// The slides' refinement "quadratic resolution": chooses alpha and all bandwidths at once, for the order and the
/// paths of the ring `start`, from whose alpha and bandwidths the search starts:
///
///   min T    alpha_i W w_i + H (c_i,succ + c_i,pred) <= T,  sum of alpha = 1,  alpha >= 0,
///            s_p c_p >= 1,  sum over the paths of a link of s_p <= b
///
/// with c_p = 1 / s_p inserted (a smaller c_p would be worse), which leaves a convex program, so that a point to
/// which Ipopt converges is the optimum. A path has the same bandwidth on all of its links.
QuadraticSolution solve_quadratic_program(RingProblem const& problem, Ring const& start);

}  // namespace factosim
