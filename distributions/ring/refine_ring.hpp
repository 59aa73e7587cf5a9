#pragma once

#include "distributions/ring/ring.hpp"

namespace factosim {

struct QuadraticSolution {
  Ring ring;             // if not optimal: the better of the last point and the given ring
  bool optimal = false;  // the method has converged
};

/// The refinement "quadratic resolution" of the slides: optimises alpha and all bandwidths together for the
/// given order and paths of the ring; its own alpha and bandwidths are only the starting point:
///
///   min T    alpha_i W w_i + H (c_i,succ + c_i,pred) <= T,  sum of alpha = 1,  alpha >= 0,
///            s_p c_p >= 1,  sum over the paths of a link of s_p <= b
///
/// Substituting c_p = 1 / s_p (tight at an optimum) leaves a convex program, so Ipopt's solution is the
/// global optimum. A path has the same bandwidth on all of its links.
QuadraticSolution solve_quadratic_program(RingProblem const& problem, Ring const& start);

/// Sharing of the links among the paths of a ring.
enum class RingRefinement {
  none,       // unchanged, as found
  max_min,    // max-min fairness
  quadratic,  // the quadratic program
};

/// Returns the ring with the same order and paths and new bandwidths and alpha; `none` recomputes only alpha.
Ring refine_ring(RingProblem const& problem, Ring ring, RingRefinement refinement);

/// The same with bandwidths that minimise the sum of v_i c_ij: the optimum of the quadratic program if every
/// processor of the ring computes (to about 1e-4 with fewer `rounds`), and close to it otherwise.
Ring share_links_by_delay(RingProblem const& problem, Ring ring, int rounds = 2000);

}  // namespace factosim
