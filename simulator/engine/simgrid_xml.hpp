#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/route_table.hpp"

namespace factosim {

/// Names of all hosts of a SimGrid platform file, with numbers in them in the order of their values: node-2
/// before node-10. As what follows, loads the file in a child process, since SimGrid keeps static state, and
/// throws ChildFailure with SimGrid's words where it refuses the file. Not after SimGrid was used in this
/// process (ContractError).
std::vector<std::string> hosts_of_simgrid_xml(std::filesystem::path const& file);

/// The routes that SimGrid finds between some hosts of the file, with its latencies; O(hosts^2). Throws
/// ChildFailure also where a route crosses no link or a wifi link.
RouteTable routes_of_simgrid_xml(std::filesystem::path const& file, std::vector<std::string> const& hosts);

}  // namespace factosim
