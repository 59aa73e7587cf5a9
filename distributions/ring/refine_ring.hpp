#pragma once

#include "distributions/ring/ring.hpp"

namespace factosim {

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
