#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/route_table.hpp"

namespace factosim {

/// Returns the names of all hosts of a SimGrid platform file; numbers in names are ordered by their values:
/// node-2 before node-10. Both functions load the description of hosts, links and routes in it, and nothing else,
/// in a child process, since SimGrid keeps static state.
/// They throw ChildFailure with SimGrid's message if SimGrid refuses the file, InputError if SimGrid's module is
/// not installed, and ContractError if SimGrid was used in this process.
std::vector<std::string> hosts_of_simgrid_xml(std::filesystem::path const& file);

/// Returns the routes that SimGrid finds between hosts of the file, with its latencies; O(hosts^2). Also throws
/// ChildFailure if a route crosses no link, or a wifi link.
RouteTable routes_of_simgrid_xml(std::filesystem::path const& file, std::vector<std::string> const& hosts);

}  // namespace factosim
