#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platforms/topology.hpp"
#include "simulator/runtime/engine/network.hpp"

namespace factosim {

/// At most one network of the model `simgrid` may be made in a process. Throws InputError if SimGrid's module is
/// not installed.
std::unique_ptr<Network> make_network(NetworkOptions const& options, Topology const& topology);

/// Loads the libraries of all models, as far as they are installed, so that processes forked from this one need
/// not load them again.
void preload_network_models();

/// The effective settings of the model's library, as name and value, for the record of a result.
std::vector<std::pair<std::string, std::string>> network_settings(NetworkOptions const& options);

}  // namespace factosim
