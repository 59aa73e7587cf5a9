#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "factosim/route_table.hpp"
#include "platforms/topology.hpp"
#include "simulator/runtime/engine/network.hpp"

namespace factosim {

/// The functions that call SimGrid, in a module: its libraries take 30 ms to load. SimGrid keeps static
/// state: a process makes one network, or reads one file, and no more.
class SimGrid {
 public:
  virtual ~SimGrid() = default;

  /// Throws ContractError if this process has made a network already.
  [[nodiscard]] virtual std::unique_ptr<Network> make_network(Topology const& topology,
                                                              NetworkOptions const& options) const = 0;

  /// Returns whether this process has made a network or read a file.
  [[nodiscard]] virtual bool is_used() const = 0;

  /// Returns the names of all hosts of a platform file, in SimGrid's order. If the file is wrong, SimGrid
  /// throws an exception of its own, or ends the process by a signal.
  [[nodiscard]] virtual std::vector<std::string> hosts(std::filesystem::path const& file) const = 0;

  /// Returns the links and routes between the hosts of these names, as `routes_of_simgrid_xml` does.
  [[nodiscard]] virtual RouteTable routes(std::filesystem::path const& file,
                                          std::vector<std::string> const& names) const = 0;
};

/// Loads the module, unless it is loaded. Throws InputError if it is not installed.
[[nodiscard]] SimGrid const& load_simgrid();

/// The version that the program was built with: "3.32.0"; "none" if it was built without SimGrid.
[[nodiscard]] std::string simgrid_version();

/// SimGrid's effective settings, as name and value.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> simgrid_settings(
    NetworkOptions const& options);

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
