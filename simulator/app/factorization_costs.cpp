#include "simulator/app/factorization_costs.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "models/applications/cholesky.hpp"
#include "simulator/core/error.hpp"
#include "simulator/runtime/machine.hpp"

namespace factosim {

namespace {

constexpr std::array lu_kinds{TaskKind::diagonal, TaskKind::panel, TaskKind::panel, TaskKind::update};
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

}  // namespace

Factorization factorization_of(Application const& application) {
  return application.lower_only ? Factorization::cholesky : Factorization::lu;
}

std::span<TaskKind const> kinds_of_kernels(Factorization factorization) {
  return factorization == Factorization::lu ? std::span<TaskKind const>(lu_kinds) : cholesky_kinds;
}

std::vector<Kernel> factorization_kernels(Application const& application,
                                          ApplicationParameters const& parameters) {
  return application.name == "exageostat" ? cholesky_kernels(parameters) : application.kernels(parameters);
}

Flops update_flops(Application const& application, ApplicationParameters const& parameters) {
  return factorization_kernels(application, parameters).back().flops;
}

FactorizationCosts factorization_costs(Platform const& platform, std::span<KernelModel const> models,
                                       Application const& application,
                                       ApplicationParameters const& parameters,
                                       RuntimeOptions const& options) {
  auto const kernels = factorization_kernels(application, parameters);
  auto const kinds = kinds_of_kernels(factorization_of(application));
  FACTOSIM_EXPECT(kinds.size() == kernels.size(), "every kernel of the application has a kind");
  TimingKey const key{application.name, parameters.precision, parameters.nb};
  Machine const machine = build_machine(platform, models, kernels, key, options);
  FactorizationCosts costs;
  for (std::uint32_t const type : platform.nodes) {
    costs.nodes.push_back(costs_of(machine.types[type], kinds));
    Nic const& nic = platform.types[type].nic;
    costs.transfer =
        std::max(costs.transfer, (tile_bytes(parameters) / nic.bandwidth).value + 2 * nic.latency.value);
  }
  return costs;
}

}  // namespace factosim
