#pragma once

#include "factosim/route_table.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// The routes between nodes that the scenario's "simgrid_xml" asks for: of the first `nodes` hosts of a
/// SimGrid platform file, of a list, or of those with a prefix. Throws InputError, also for what SimGrid
/// refuses.
RouteTable read_simgrid_xml(JsonReader const& json, std::size_t nodes);

}  // namespace factosim
