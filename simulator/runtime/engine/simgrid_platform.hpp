#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "platforms/topology.hpp"

namespace factosim {

/// Creates a host of SimGrid for each memory node of `topology` and returns them, [memory nodes]. SimGrid's
/// engine must exist, and `topology` must outlive it. The links have no latency: it would cost SimGrid one more
/// event per flow. `path` is that of the flow that SimGrid starts; it must outlive the engine's use too.
std::vector<simgrid::s4u::Host*> build_simgrid_platform(Topology const& topology, Topology::Path const& path);

}  // namespace factosim
