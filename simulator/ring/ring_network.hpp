#pragma once

#include "distributions/ring/ring.hpp"
#include "factosim/platform.hpp"

namespace factosim {

/// The bandwidth that a message may use on its links.
enum class RingBandwidth {
  reserved,  // the bandwidth that the ring reserves for it
  shared,    // its max-min fair share among all messages in transit
};

/// Returns the links of the graph and the paths of a ring as a platform, for every network model. Each
/// processor has two nodes, since in a ring of two both messages go to the same processor: node 2i is the
/// side of order[i] to its successor, node 2i + 1 that to its predecessor. Path p starts at node p. A
/// reserved bandwidth is one more link on its path, which no other message crosses. Needs a ring with paths.
Platform ring_platform(ProcessorGraph const& graph, Ring const& ring, RingBandwidth bandwidth);

/// Returns the node at which path p of a ring of q processors ends.
[[nodiscard]] std::size_t end_of_path(std::size_t p, std::size_t q);

}  // namespace factosim
