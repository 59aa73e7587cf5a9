#include "simulator/bounds/factorization_costs.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/engine/constant_network.hpp"
#include "simulator/plan/machine.hpp"

namespace factosim {

namespace {

NodeCosts costs_of(Machine::Type const& type, std::span<TaskKind const> kinds) {
  NodeCosts costs;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    double rate = 0;
    double fastest = std::numeric_limits<double>::infinity();
    for (double const duration : type.durations_of(k)) {
      rate += 1 / duration;
      fastest = std::min(fastest, duration);
    }
    costs.area[static_cast<std::size_t>(kinds[k])] = 1 / rate;
    costs.alone[static_cast<std::size_t>(kinds[k])] = fastest;
  }
  return costs;
}

/// The longest time of an unshared message of that size between two nodes. O(nodes^2) with a table of routes.
double slowest_transfer(Platform const& platform, Bytes size) {
  double slowest = 0;
  if (!platform.network.routes) {
    for (std::uint32_t const type : platform.nodes) {
      LinkRate const& nic = platform.types[type].nic;
      slowest = std::max(slowest, (size / nic.bandwidth).value + 2 * nic.latency.value);
    }
    return slowest;
  }
  Topology const topology(platform);
  for (std::uint32_t a = 0; a < platform.nodes.size(); ++a)
    for (std::uint32_t b = 0; b < platform.nodes.size(); ++b)
      if (a != b)
        slowest = std::max(
            slowest,
            unshared_time(topology, topology.ram_of(NodeId{a}), topology.ram_of(NodeId{b}), size).value);
  return slowest;
}

}  // namespace

FactorizationCosts factorization_costs(Platform const& platform, std::span<KernelModel const> models,
                                       Application const& application,
                                       ApplicationParameters const& parameters,
                                       RuntimeOptions const& options) {
  auto const [kernels, kinds] = application.factorization_kernels(parameters);
  FACTOSIM_EXPECT(kinds.size() == kernels.size(), "every kernel of the application has a kind");
  TimingKey const key{application.name, parameters.precision, parameters.nb};
  Machine const machine = build_machine(platform, models, kernels, key, options);
  FactorizationCosts costs;
  for (std::uint32_t const type : platform.nodes) costs.nodes.push_back(costs_of(machine.types[type], kinds));
  costs.transfer = slowest_transfer(platform, tile_bytes(parameters));
  return costs;
}

}  // namespace factosim
