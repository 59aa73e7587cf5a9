#include "simulator/placement/timed_application.hpp"

#include "simulator/bounds/bounds.hpp"
#include "simulator/bounds/factorization_costs.hpp"

namespace factosim {

Machine machine_of(TimedApplication const& t, std::span<Kernel const> kernels) {
  return build_machine(t.platform, t.models, kernels,
                       {t.application.name, t.parameters.precision, t.parameters.nb}, t.runtime);
}

FactorizationCosts costs_of(TimedApplication const& t) {
  return factorization_costs(t.platform, t.models, t.application, t.parameters, t.runtime);
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
  for (std::uint32_t t = 0; t < machine.types.size(); ++t) {
    if (nodes[t] == 0) continue;
    Machine::Type const& type = machine.types[t];
    for (WorkerClass const& c : worker_classes(type, phase_kernels, nodes[t])) {
      std::size_t w = 0;  // the first worker of the class
      auto const alike = [&] {
        for (std::size_t k = 0; k < phase_kernels; ++k)
          if (type.shortest_duration(k, w) != c.durations[k]) return false;
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
