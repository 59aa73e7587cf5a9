#include "simulator/engine/network_factory.hpp"

#include <array>
#include <stdexcept>

#include "simulator/engine/constant_network.hpp"
#include "simulator/engine/maxmin_network.hpp"
#include "simulator/engine/simgrid_network.hpp"

namespace factosim {

namespace {

constexpr std::array names{
    std::pair{NetworkModel::simgrid, std::string_view("simgrid")},
    std::pair{NetworkModel::maxmin, std::string_view("maxmin")},
    std::pair{NetworkModel::constant, std::string_view("constant")},
};

}  // namespace

std::string_view name_of(NetworkModel model) {
  for (auto const& [value, name] : names)
    if (value == model) return name;
  throw std::out_of_range("unknown network model");
}

std::vector<std::string> network_model_names() {
  std::vector<std::string> out;
  for (auto const& [value, name] : names) out.emplace_back(name);
  return out;
}

NetworkModel network_model(std::string_view wanted) {
  for (auto const& [value, name] : names)
    if (name == wanted) return value;
  throw std::out_of_range("unknown network model " + std::string(wanted));
}

std::unique_ptr<Network> make_network(NetworkOptions const& options, Topology const& topology) {
  switch (options.model) {
    case NetworkModel::simgrid:
      return std::make_unique<SimGridNetwork>(topology, options.lazy);
    case NetworkModel::maxmin:
      return std::make_unique<MaxMinNetwork>(topology);
    case NetworkModel::constant:
      return std::make_unique<ConstantNetwork>(topology);
  }
  throw std::out_of_range("unknown network model");
}

std::vector<std::pair<std::string, std::string>> network_settings(NetworkOptions const& options) {
  if (options.model == NetworkModel::simgrid) return simgrid_settings(options.lazy);
  return {};
}

}  // namespace factosim
