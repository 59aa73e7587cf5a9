#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/route_table.hpp"

namespace factosim {

/// Returns the names of all hosts of a SimGrid platform file, sorted with numbers by value: node-2 before
/// node-10. Loads the file in a child process, since SimGrid keeps static state. Throws ChildFailure with
/// SimGrid's message if SimGrid refuses the file, and ContractError if SimGrid was used in this process before.
std::vector<std::string> hosts_of_simgrid_xml(std::filesystem::path const& file);

/// Returns SimGrid's routes, with their latencies, between these hosts of the file. O(hosts^2). Loads the file in
/// a child process as above. Throws ChildFailure also if a route crosses no link or a wifi link.
RouteTable routes_of_simgrid_xml(std::filesystem::path const& file, std::vector<std::string> const& hosts);

}  // namespace factosim
