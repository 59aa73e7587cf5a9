#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/engine/network.hpp"
#include "simulator/engine/topology.hpp"

namespace factosim {

/// How transfers share links.
enum class NetworkModel {
  simgrid,  // SimGrid's flows
  maxmin,   // the own exact max-min
  constant  // no sharing
};

struct NetworkOptions {
  NetworkModel model = NetworkModel::simgrid;
  bool lazy = false;  // SimGrid's lazy update instead of its full one
};

[[nodiscard]] std::string_view name_of(NetworkModel model);
[[nodiscard]] std::vector<std::string> network_model_names();
/// Throws std::out_of_range for a name that is not listed.
[[nodiscard]] NetworkModel network_model(std::string_view name);

/// At most one network of the model `simgrid` may be made in a process.
std::unique_ptr<Network> make_network(NetworkOptions const& options, Topology const& topology);

/// What the model's library has in force, as name and value, for the record of a result.
std::vector<std::pair<std::string, std::string>> network_settings(NetworkOptions const& options);

}  // namespace factosim
