#include "simulator/runtime/engine/network_factory.hpp"

#include <stdexcept>

#include "factosim/error.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/runtime/engine/constant_network.hpp"
#include "simulator/runtime/engine/independent_links_network.hpp"
#include "simulator/runtime/engine/maxmin_network.hpp"
#include "simulator/runtime/engine/simgrid.hpp"

namespace factosim {

namespace {

constexpr NamedValues<NetworkModel, 4> known{
    .what = "network model",
    .values = {{{NetworkModel::simgrid, "simgrid"},
                {NetworkModel::maxmin, "maxmin"},
                {NetworkModel::constant, "constant"},
                {NetworkModel::independent_links, "independent_links"}}}};

constexpr char const* error_of_independent_links =
    "each link is shared as if it were the only one; measured on 50 to 4000 nodes, makespans differ by up to "
    "5 % "
    "from those of max-min fairness (tests/measurements.md, network models on large clusters)";

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
      return load_simgrid().make_network(topology, options.lazy);
    case NetworkModel::maxmin:
      return std::make_unique<MaxMinNetwork>(topology);
    case NetworkModel::constant:
      return std::make_unique<ConstantNetwork>(topology);
    case NetworkModel::independent_links:
      return std::make_unique<IndependentLinksNetwork>(topology);
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
  if (options.model == NetworkModel::simgrid) return simgrid_settings(options.lazy);
  if (options.model == NetworkModel::independent_links)
    return {{"approximation", error_of_independent_links}};
  return {};
}

}  // namespace factosim
