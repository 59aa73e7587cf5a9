#pragma once

#include <cstdint>

#include "distributions/ring/ring.hpp"

namespace factosim {

struct ExactRing {
  Ring ring;
  std::uint64_t rings = 0;    // orders of processors visited
  std::uint64_t choices = 0;  // complete choices of paths whose bandwidths were optimised
};

/// Returns the optimum of SHARED RING over all subsets of the processors, all orders around the ring (up to
/// rotation and reflection), all choices of simple paths, bandwidths and alpha; bandwidths by the quadratic
/// program or, if all processors compute, by the weighted potential delay with its proof of optimality.
/// Branch and bound: the lower bound of T_step takes the chosen paths as they are and each other path alone
/// on its widest path; `known`, a feasible ring, is the first incumbent. Exponential: for about six
/// processors.
ExactRing exact_ring(RingProblem const& problem, Ring const& known);

/// Returns all simple paths between two vertices.
std::vector<RingPath> simple_paths(ProcessorGraph const& graph, std::uint32_t from, std::uint32_t to);

}  // namespace factosim
