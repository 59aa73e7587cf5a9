#pragma once

#include <cstddef>
#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

struct RingSearchOptions {
  std::size_t evaluations = 20'000;  // maximum number of rings evaluated
  std::size_t paths = 6;             // candidate paths between two processors
};

/// Local search from a feasible ring. Moves: remove, insert, relocate or replace a processor, reverse a
/// segment of the ring, re-route a message; moves that reduce T_step are kept. Rings are evaluated with their
/// links shared by share_links_by_delay. Ends at a local optimum or after the given number of evaluations.
/// The result is no worse than `start` with its links shared by that function.
Ring improve_ring(RingProblem const& problem, Ring const& start, RingSearchOptions const& options = {});

}  // namespace factosim
