#include "simulator/runtime/machine.hpp"

#include <fmt/format.h>

#include <limits>

#include "simulator/core/error.hpp"

namespace factosim {

namespace {

Machine::Type build_type(NodeType const& type, KernelModel const& model, std::span<Kernel const> kernels,
                         TimingKey const& key, RuntimeOptions const& options, int reserved) {
  Machine::Type out;
  out.rams = type.ram_count();
  out.gpus = type.gpus.size();
  for (std::size_t g = 0; g < type.gpus.size(); ++g) {
    out.workers.push_back(
        {.memory = static_cast<std::uint32_t>(out.rams + g), .gpu = true, .busy_power = type.power.gpu});
    out.worker_names.push_back(fmt::format("cuda{}", g));
  }
  if (type.cycle_time.value > 0) reserved = 0;  // its cores are those that compute
  int const cores = type.cores - reserved - options.cores_per_gpu * static_cast<int>(type.gpus.size());
  for (int c = 0; c < cores; ++c) {
    auto const numa_node = static_cast<std::uint32_t>(c * type.numa_nodes / cores);
    out.workers.push_back({.memory = numa_node, .gpu = false, .busy_power = type.power.core});
    out.worker_names.push_back(fmt::format("cpu{}", c));
  }
  for (int s = 0; s < options.oversubscribed_workers; ++s) {
    out.workers.push_back({.memory = 0, .gpu = false, .busy_power = type.power.core});
    out.worker_names.push_back(fmt::format("cpu{}", cores + s));
  }
  if (out.workers.empty())
    throw InfeasibleError(
        fmt::format("a node of type {} keeps no worker: {} cores, {} of them reserved, and no GPU", type.name,
                    type.cores, reserved));
  bool const has_core = !out.workers.back().gpu;  // the GPUs are first
  for (Kernel const& kernel : kernels)
    for (std::size_t w = 0; w < out.workers.size(); ++w) {
      if (kernel.is_free) {  // on cores, unless all of them drive GPUs
        bool const runs = !out.workers[w].gpu || !has_core;
        out.durations.push_back(runs ? 0 : std::numeric_limits<double>::infinity());
        out.deviations.push_back(0);
        out.samples.push_back({0.0});
        continue;
      }
      std::string const worker = out.workers[w].gpu ? out.worker_names[w] : "cpu";
      bool const spare = w + static_cast<std::size_t>(options.oversubscribed_workers) >= out.workers.size();
      KernelTiming const* const timing =
          spare && !kernel.on_spare_workers
              ? nullptr
              : model.timing(timing_name(kernel), key.application, key.precision, worker, key.nb);
      out.durations.push_back(timing ? duration_by(*timing, kernel.flops).value
                                     : std::numeric_limits<double>::infinity());
      out.deviations.push_back(timing ? timing->deviation.value : 0);
      out.samples.push_back(timing ? timing->sample_seconds : std::vector<double>());
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
