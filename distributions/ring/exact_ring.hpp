#pragma once

#include <cstdint>

#include "distributions/ring/ring.hpp"

namespace factosim {

struct ExactRing {
  Ring ring;
  std::uint64_t rings = 0;    // orders of processors looked at
  std::uint64_t choices = 0;  // choices of all paths whose bandwidths were shared out
};

/// The optimum of SHARED RING: every subset of the processors, every order of it around a ring (turned and
/// mirrored ones once), every choice of simple paths, bandwidths and alpha by the quadratic program or, where
/// all processors compute, by the weighted potential delay with its proof. Branch and bound: what is known of
/// the paths chosen so far, and for the others that each is alone on its widest path, bounds T_step from
/// below; `known`, a feasible ring, says what is to be beaten. Exponential: for about six processors.
ExactRing exact_ring(RingProblem const& problem, Ring const& known);

/// All paths between two vertices that visit none twice.
std::vector<RingPath> simple_paths(ProcessorGraph const& graph, std::uint32_t from, std::uint32_t to);

}  // namespace factosim
