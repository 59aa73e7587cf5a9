#pragma once

#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

/// The slides' heuristic for SHARED RING. The best processor alone, the best pair, then one processor more at
/// a time: every one that is not there yet, between every two neighbours, is valued by the T_step it would
/// give, and the best stays. The two paths between these neighbours give their bandwidth back; the four new
/// ones are widest paths over what every link has left, each found for itself, and where they share links
/// brute force shares these out. What other paths have is not touched.
///
/// Returns the ring of each step, those of q = 1, 2, ... processors, until all take part or nothing is left
/// of the links that a further one would need. O(p^3) searches for a widest path.
std::vector<Ring> greedy_rings(RingProblem const& problem);

/// The one of the least T_step: the first of them where several have it. Throws InfeasibleError where the
/// graph has no processor.
Ring best_ring(std::vector<Ring> const& rings);

}  // namespace factosim
