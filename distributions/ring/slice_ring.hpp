#pragma once

#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

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
