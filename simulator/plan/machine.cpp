#include "simulator/plan/machine.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Adds the workers: GPUs, cores that are neither reserved nor taken by GPUs, and oversubscribed workers.
Machine::Type with_workers(NodeType const& type, RuntimeOptions const& options, int reserved) {
  Machine::Type out;
  out.rams = type.ram_count();
  out.gpus = type.gpus.size();
  for (std::size_t g = 0; g < type.gpus.size(); ++g) {
    out.workers.push_back({.memory = LocalMemory{out.rams + g}, .gpu = true, .busy_power = type.power.gpu});
    out.worker_names.push_back(fmt::format("cuda{}", g));
  }
  if (type.cycle_time.value > 0) reserved = 0;  // its cores are those that compute
  int const cores = type.cores - reserved - options.cores_per_gpu * static_cast<int>(type.gpus.size());
  for (int c = 0; c < cores; ++c) {
    LocalMemory const numa_node{c * type.numa_nodes / cores};
    out.workers.push_back({.memory = numa_node, .gpu = false, .busy_power = type.power.core});
    out.worker_names.push_back(fmt::format("cpu{}", c));
  }
  for (int s = 0; s < options.oversubscribed_workers; ++s) {
    out.workers.push_back({.memory = LocalMemory{0}, .gpu = false, .busy_power = type.power.core});
    out.worker_names.push_back(fmt::format("cpu{}", cores + s));
  }
  if (out.workers.empty())
    throw InfeasibleError(
        fmt::format("a node of type {} keeps no worker: {} cores, {} of them reserved, and no GPU", type.name,
                    type.cores, reserved));
  return out;
}

Machine::Type build_type(NodeType const& type, KernelModel const& model, std::span<Kernel const> kernels,
                         TimingKey const& key, RuntimeOptions const& options, int reserved) {
  Machine::Type out = with_workers(type, options, reserved);
  bool const has_core = !out.workers.back().gpu;  // the GPUs are first
  auto const timing_on = [&](Kernel const& kernel, std::size_t w) -> KernelTiming const* {
    bool const spare = w + static_cast<std::size_t>(options.oversubscribed_workers) >= out.workers.size();
    if (spare && !kernel.on_spare_workers) return nullptr;
    std::string const worker = out.workers[w].gpu ? out.worker_names[w] : "cpu";
    return model.timing(timing_name(kernel), key.application, key.precision, worker, key.nb);
  };
  out.variability = model.variability;
  auto const add = [&](double duration, double deviation, std::vector<double> samples,
                       std::vector<double> first_samples = {}) {
    out.durations.push_back(duration);
    out.deviations.push_back(deviation);
    out.samples.push_back(std::move(samples));
    out.first_samples.push_back(std::move(first_samples));
  };
  constexpr double cannot_run = std::numeric_limits<double>::infinity();
  for (Kernel const& kernel : kernels)
    for (std::size_t w = 0; w < out.workers.size(); ++w) {
      if (kernel.is_free) {  // on cores, unless all of them drive GPUs
        bool const runs = !out.workers[w].gpu || !has_core;
        add(runs ? 0 : cannot_run, 0, {0.0});
      } else if (KernelTiming const* const timing = timing_on(kernel, w)) {
        add(duration_by(*timing, kernel.flops).value, timing->deviation.value, timing->sample_seconds,
            timing->first_seconds);
      } else {
        add(cannot_run, 0, {});
      }
    }
  return out;
}

}  // namespace

Machine build_machine(Platform const& platform, std::span<KernelModel const> models,
                      std::span<Kernel const> kernels, TimingKey const& key, RuntimeOptions const& options) {
  FACTOSIM_EXPECT(models.size() == platform.types.size(), "one kernel model per node type");
  Machine machine;
  machine.type_of = platform.nodes;
  int const reserved = options.reserved_cores + (platform.nodes.size() > 1 ? options.communication_cores : 0);
  for (std::size_t i = 0; i < platform.types.size(); ++i)
    machine.types.push_back(build_type(platform.types[i], models[i], kernels, key, options, reserved));
  machine.first_worker.push_back(0);
  for (std::uint32_t const type : platform.nodes)
    machine.first_worker.push_back(machine.first_worker.back() +
                                   static_cast<std::uint32_t>(machine.types[type].workers.size()));
  return machine;
}

}  // namespace factosim
