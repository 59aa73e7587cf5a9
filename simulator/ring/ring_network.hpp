#pragma once

#include "distributions/ring/ring.hpp"
#include "factosim/platform.hpp"

namespace factosim {

/// What a message may use of the links on its way.
enum class RingBandwidth {
  reserved,  // what the ring has set aside for it, whatever else is under way
  shared,    // what max-min fairness gives it beside those that are under way at the same time
};

/// The links of the graph and the paths of a ring as a platform that every network model carries. Two nodes
/// for each processor, since in a ring of two both messages go to the same one: node 2i is the side of
/// order[i] that talks to its successor, node 2i + 1 the one that talks to its predecessor. Path p starts at
/// node p. A reserved bandwidth is one link more on its path, which no other message crosses. Needs a ring
/// with paths.
Platform ring_platform(ProcessorGraph const& graph, Ring const& ring, RingBandwidth bandwidth);

/// Node where path p of a ring of q processors ends.
[[nodiscard]] std::size_t end_of_path(std::size_t p, std::size_t q);

}  // namespace factosim
