#pragma once

#include <span>
#include <vector>

#include "distributions/ring/link_sharing.hpp"
#include "distributions/ring/ring.hpp"

namespace factosim {

/// Returns bandwidths of a few paths (four when a processor is inserted into a ring) that approximately
/// minimise the sum of g_p / d_p: the "brute force method" of the slides for new paths that share links.
/// Every Pareto-optimal allocation is max-min fair for some proportions, so proportions are enumerated on a
/// coarse grid around sqrt(g_p), the optimum for one link, then on finer grids around the best. O(5^(paths -
/// 1)) allocations.
std::vector<double> brute_force_shares(PathLimits const& limits, std::span<double const> weights);

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

/// The network model of SLICE RING: a complete graph with a private link between every two processors, as
/// wide as the widest path of the real network.
struct CompleteGraph {
  ProcessorGraph graph;         // vertices: the processors; one directed unshared link for each ordered pair
  std::vector<RingPath> paths;  // [links] the real path of each, with its bandwidth
};
CompleteGraph complete_graph(ProcessorGraph const& graph);

/// The heuristic of the slides for SLICE RING: the greedy of SHARED RING on the complete graph. T_step and
/// bandwidths hold for that graph only; order and paths refer to the real graph. To make the ring feasible,
/// share the real links (refine_ring).
Ring slice_ring(RingProblem const& problem);

}  // namespace factosim
