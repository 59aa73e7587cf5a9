#pragma once

#include "factosim/route_table.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// Reads the routes between nodes of a scenario's "simgrid_xml": of the first `nodes` hosts of a SimGrid
/// platform file, of a list of hosts, or of those with a prefix. Throws InputError, also for errors of
/// SimGrid.
RouteTable read_simgrid_xml(JsonReader const& json, std::size_t nodes);

}  // namespace factosim
