#pragma once

#include "distributions/ring/ring.hpp"

namespace factosim {

/// How the links are shared among the paths of a ring.
enum class RingRefinement {
  none,       // as the heuristic has left it
  max_min,    // max-min fairness
  quadratic,  // the quadratic program
};

/// The same order and paths with other bandwidths and alpha; nothing of the old ones is kept but with `none`,
/// where only alpha is chosen anew.
Ring refine_ring(RingProblem const& problem, Ring ring, RingRefinement refinement);

/// The same with the bandwidths of the least sum of v_i c_ij: what the quadratic program gives where every
/// processor of the ring computes, to about 1e-4 in fewer `rounds`, and close to it elsewhere.
Ring share_links_by_delay(RingProblem const& problem, Ring ring, int rounds = 2000);

}  // namespace factosim
