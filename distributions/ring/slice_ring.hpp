#pragma once

#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

/// A fully connected network as SLICE RING believes in: between every two processors a link for itself, as
/// wide as the widest path of the real network.
struct CompleteGraph {
  ProcessorGraph graph;         // vertices are the processors, links (one way, not shared) from each to each
  std::vector<RingPath> paths;  // [links] the real path behind each, with its bandwidth
};
CompleteGraph complete_graph(ProcessorGraph const& graph);

/// The slides' heuristic for SLICE RING: the greedy of SHARED RING on the complete graph. T_step is what that
/// graph promises; bandwidths, too, are those of paths that are alone. The order and the paths are those of
/// the real graph: share their links (refine_ring) to make the ring feasible.
Ring slice_ring(RingProblem const& problem);

}  // namespace factosim
