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
  maxmin,   // max-min fairness, exact, without a library
  constant  // no sharing
};

/// The model of scenarios that name none: SimGrid, unless the program was built without it.
inline constexpr NetworkModel default_network_model =
    FACTOSIM_SIMGRID ? NetworkModel::simgrid : NetworkModel::maxmin;

struct NetworkOptions {
  NetworkModel model = default_network_model;
  bool lazy = false;  // SimGrid's lazy update instead of its full one
};

[[nodiscard]] std::string_view name_of(NetworkModel model);
[[nodiscard]] std::vector<std::string> network_model_names();
/// Throws std::out_of_range for an unknown name.
[[nodiscard]] NetworkModel network_model(std::string_view name);

/// At most one network of the model `simgrid` may be made in a process. Throws InputError if SimGrid's module is
/// not installed.
std::unique_ptr<Network> make_network(NetworkOptions const& options, Topology const& topology);

/// Loads the libraries of all models, as far as they are installed, so that processes forked from this one need
/// not load them again.
void preload_network_models();

/// The effective settings of the model's library, as name and value, for the record of a result.
std::vector<std::pair<std::string, std::string>> network_settings(NetworkOptions const& options);

}  // namespace factosim
