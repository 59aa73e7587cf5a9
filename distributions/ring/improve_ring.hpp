#pragma once

#include <cstddef>
#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

struct RingSearchOptions {
  std::size_t evaluations = 20'000;  // of rings, at most
  std::size_t ways = 6;              // paths between two processors to choose from
};

/// Local search from a feasible ring: a processor leaves, joins, moves or takes another's place, a stretch of
/// the ring is turned round, a message goes another way; what makes T_step less stays. A ring is valued with
/// its links shared by share_links_by_delay. Where nothing helps any more, or the evaluations are used up, it
/// ends. The result is no worse than `start` with its links shared that way.
Ring improve_ring(RingProblem const& problem, Ring const& start, RingSearchOptions const& options = {});

}  // namespace factosim
