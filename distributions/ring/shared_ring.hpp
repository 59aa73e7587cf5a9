#pragma once

#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

/// The heuristic of the slides for SHARED RING. Starts with the best processor alone, then the best pair;
/// each step then tries every further processor between every two neighbours and keeps the insertion with the
/// minimum T_step. The two paths between these neighbours release their bandwidth; the four new ones are
/// widest paths in the remaining bandwidths, found independently, and share common links by brute force. All
/// other paths keep their bandwidth.
///
/// Returns the ring of each step, with q = 1, 2, ... processors, until all take part or a link that a further
/// one would need has no bandwidth left. O(p^3) searches for a widest path.
std::vector<Ring> greedy_rings(RingProblem const& problem);

/// Returns the first ring of minimum T_step. Throws InfeasibleError if the graph has no processor.
Ring best_ring(std::vector<Ring> const& rings);

}  // namespace factosim
