#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "simulator/engine/topology.hpp"

namespace factosim {

/// Makes the memory nodes of `topology`, which must outlive it, hosts of SimGrid's engine, which must exist;
/// returns them, [memory nodes]. One zone, which asks the topology for routes. The links have no latency:
/// a link's latency would cost SimGrid a further event for each flow.
std::vector<simgrid::s4u::Host*> build_simgrid_platform(Topology const& topology);

}  // namespace factosim
