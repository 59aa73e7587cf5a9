#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/engine/network.hpp"
#include "simulator/engine/topology.hpp"

namespace factosim {

/// Models of how transfers share links.
enum class NetworkModel {
  simgrid,  // SimGrid's flows
  maxmin,   // exact max-min of this program
  constant  // no sharing
};

struct NetworkOptions {
  NetworkModel model = NetworkModel::simgrid;
  bool lazy = false;  // SimGrid's lazy update instead of its full one
};

[[nodiscard]] std::string_view name_of(NetworkModel model);
[[nodiscard]] std::vector<std::string> network_model_names();
/// Throws std::out_of_range for an unknown name.
[[nodiscard]] NetworkModel network_model(std::string_view name);

/// A process can have at most one network of the model `simgrid`.
std::unique_ptr<Network> make_network(NetworkOptions const& options, Topology const& topology);

/// Returns the effective settings of the model's library, as name and value, for the provenance of a result.
std::vector<std::pair<std::string, std::string>> network_settings(NetworkOptions const& options);

}  // namespace factosim
