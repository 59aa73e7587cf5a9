#include "simulator/bounds/factorization_costs.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "factosim/error.hpp"
#include "models/applications/cholesky.hpp"
#include "models/applications/qr.hpp"
#include "simulator/engine/constant_network.hpp"
#include "simulator/plan/machine.hpp"

namespace factosim {

namespace {

constexpr std::array lu_kinds{TaskKind::diagonal, TaskKind::panel, TaskKind::panel, TaskKind::update};
constexpr std::array product_kinds{TaskKind::update};
constexpr std::array cholesky_kinds{TaskKind::diagonal, TaskKind::panel, TaskKind::symmetric_update,
                                    TaskKind::update};

NodeCosts costs_of(Machine::Type const& type, std::span<TaskKind const> kinds) {
  NodeCosts costs;
  std::size_t const workers = type.workers.size();
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    double rate = 0;
    double fastest = std::numeric_limits<double>::infinity();
    for (std::size_t w = 0; w < workers; ++w) {
      double const duration = type.durations[k * workers + w];
      rate += 1 / duration;
      fastest = std::min(fastest, duration);
    }
    costs.area[static_cast<std::size_t>(kinds[k])] = 1 / rate;
    costs.alone[static_cast<std::size_t>(kinds[k])] = fastest;
  }
  return costs;
}

/// The longest that a message of that size takes between two nodes when it is alone. O(nodes^2) with a table.
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

Factorization factorization_of(Application const& application) {
  return application.lower_only ? Factorization::cholesky : Factorization::lu;
}

std::span<TaskKind const> kinds_of_kernels(Application const& application) {
  if (application.is_product) return product_kinds;
  return application.lower_only ? std::span<TaskKind const>(cholesky_kinds) : lu_kinds;
}

std::vector<Kernel> factorization_kernels(Application const& application,
                                          ApplicationParameters const& parameters) {
  if (application.name == "exageostat") return cholesky_kernels(parameters);
  if (application.name == "qr") {
    ApplicationParameters flat = parameters;
    flat.tree = "flat";
    return qr_kernels(flat);
  }
  auto kernels = application.kernels(parameters);
  std::erase_if(kernels, [](Kernel const& kernel) { return kernel.is_free; });
  return kernels;
}

Flops update_flops(Application const& application, ApplicationParameters const& parameters) {
  return factorization_kernels(application, parameters).back().flops;
}

FactorizationCosts factorization_costs(Platform const& platform, std::span<KernelModel const> models,
                                       Application const& application,
                                       ApplicationParameters const& parameters,
                                       RuntimeOptions const& options) {
  auto const kernels = factorization_kernels(application, parameters);
  auto const kinds = kinds_of_kernels(application);
  FACTOSIM_EXPECT(kinds.size() == kernels.size(), "every kernel of the application has a kind");
  TimingKey const key{application.name, parameters.precision, parameters.nb};
  Machine const machine = build_machine(platform, models, kernels, key, options);
  FactorizationCosts costs;
  for (std::uint32_t const type : platform.nodes) costs.nodes.push_back(costs_of(machine.types[type], kinds));
  costs.transfer = slowest_transfer(platform, tile_bytes(parameters));
  return costs;
}

}  // namespace factosim
