#include "simulator/scenario/placement/distribution.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "factosim/error.hpp"
#include "platforms/topology.hpp"
#include "simulator/tasks/bounds/node_area_bounds.hpp"

namespace factosim {

namespace {

/// Returns the time of the worker's core or GPU per execution of the kernel while all its workers run that kernel.
double time_among_like(Machine::Type const& type, std::size_t kernel, std::size_t worker) {
  double const equal_part = 1 / static_cast<double>(type.workers_per_gpu);
  return type.durations_of(kernel)[worker] * std::max(type.gpu_part(kernel, worker), equal_part);
}

NodeCosts costs_on(Machine::Type const& type, std::span<TaskKind const> kinds) {
  NodeCosts costs;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    double rate = 0;
    double fastest = std::numeric_limits<double>::infinity();
    for (std::size_t w = 0; w < type.workers.size(); ++w) {
      if (!type.shares_gpu(w)) rate += 1 / time_among_like(type, k, w);
      fastest = std::min(fastest, type.durations_of(k)[w]);
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

Machine machine_of(TimedApplication const& t, std::span<Kernel const> kernels) {
  return build_machine(t.platform, t.models, kernels,
                       {t.application.name, t.parameters.precision, t.parameters.nb}, t.runtime);
}

FactorizationCosts costs_of(TimedApplication const& t) {
  auto const [kernels, kinds] = t.application.factorization_kernels(t.parameters);
  FACTOSIM_EXPECT(kinds.size() == kernels.size(), "every kernel of the application has a kind");
  Machine const machine = machine_of(t, kernels);
  FactorizationCosts costs;
  Bytes const tile = tile_bytes(t.parameters);
  std::vector<std::optional<NodeCosts>> of_types(t.platform.types.size());
  for (std::uint32_t const type : t.platform.nodes) {
    if (!of_types[type]) {
      NodeCosts& of_type = of_types[type].emplace(costs_on(machine.types[type], kinds));
      of_type.message = (tile / t.platform.types[type].nic.bandwidth).value;
    }
    costs.nodes.push_back(*of_types[type]);
  }
  costs.transfer = slowest_transfer(t.platform, tile);
  return costs;
}

PhaseGroups phase_groups(TimedApplication const& timed) {
  auto kernels = timed.application.kernels(timed.parameters);
  std::size_t const phase_kernels = timed.application.phase_steps(timed.parameters.nt).front().size();
  kernels.resize(phase_kernels);
  Machine const machine = machine_of(timed, kernels);
  PhaseGroups out;
  out.type_of = machine.type_of;
  for (Kernel const& kernel : kernels) out.flops.push_back(kernel.flops.value);
  auto const nodes = nodes_by_type(machine);
  // In the order of the nodes, not of the types' names: which of several best solutions is found depends on it.
  std::vector<std::uint32_t> types;
  for (std::uint32_t const t : machine.type_of)
    if (std::ranges::find(types, t) == types.end()) types.push_back(t);
  for (std::uint32_t const t : types) {
    Machine::Type const& type = machine.types[t];
    for (WorkerClass const& c : worker_classes(type, phase_kernels, nodes[t])) {
      std::size_t w = 0;  // the first worker of the class
      auto const alike = [&] {
        for (std::size_t k = 0; k < phase_kernels; ++k)
          if (type.device_time(k, w) != c.durations[k]) return false;
        return true;
      };
      while (!alike()) ++w;
      PhaseGroup group{.node_type = t,
                       .name = timed.platform.types[t].name + " " + type.worker_names[w],
                       .gpu = type.workers[w].gpu,
                       .seconds = c.durations};
      for (double& seconds : group.seconds) seconds /= c.count;
      out.groups.push_back(std::move(group));
    }
  }
  return out;
}

}  // namespace factosim
