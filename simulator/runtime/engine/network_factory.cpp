#include "simulator/runtime/engine/network_factory.hpp"

#include <stdexcept>

#include "factosim/error.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/runtime/engine/simgrid.hpp"

namespace factosim {

// Of the networks that are part of the program: one file each.
std::unique_ptr<Network> make_constant_network(Topology const& topology);
std::unique_ptr<Network> make_maxmin_network(Topology const& topology, bool crosstraffic);

namespace {

constexpr NamedValues<NetworkModel, 3> known{.what = "network model",
                                             .values = {{{NetworkModel::simgrid, "simgrid"},
                                                         {NetworkModel::maxmin, "maxmin"},
                                                         {NetworkModel::constant, "constant"}}}};

}  // namespace

NetworkModel default_network_model() {
  return FACTOSIM_SIMGRID != 0 ? NetworkModel::simgrid : NetworkModel::maxmin;
}

std::string_view name_of(NetworkModel model) { return known.name_of(model); }

std::vector<std::string> network_model_names() { return known.names(); }

NetworkModel network_model(std::string_view wanted) { return known.named(wanted); }

std::unique_ptr<Network> make_network(NetworkOptions const& options, Topology const& topology) {
  switch (options.model) {
    case NetworkModel::simgrid:
      return load_simgrid().make_network(topology, options);
    case NetworkModel::maxmin:
      return make_maxmin_network(topology, options.crosstraffic);
    case NetworkModel::constant:
      return make_constant_network(topology);
  }
  throw std::out_of_range("unknown network model");
}

void preload_network_models() {
  try {
    static_cast<void>(load_simgrid());
  } catch (InputError const&) {  // reported by the process that needs SimGrid
  }
}

std::vector<std::pair<std::string, std::string>> network_settings(NetworkOptions const& options) {
  if (options.model != NetworkModel::simgrid) return {};
  return simgrid_settings(options);
}

}  // namespace factosim
