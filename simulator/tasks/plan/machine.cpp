#include "simulator/tasks/plan/machine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "factosim/error.hpp"
#include "models/device_peaks.hpp"
#include "simulator/base/core/interpolation.hpp"

namespace factosim {

namespace {

/// Adds the workers: GPUs, cores that are neither reserved nor taken by GPUs, and oversubscribed workers.
Machine::Type with_workers(NodeType const& type, RuntimeOptions const& options, int reserved) {
  Machine::Type out;
  out.rams = type.ram_count();
  out.workers_per_gpu = static_cast<std::size_t>(options.workers_per_gpu);
  out.gpus = type.gpus.size() * out.workers_per_gpu;
  out.gpu_memories = type.gpu_memory_count();
  for (std::size_t w = 0; w < out.gpus; ++w) {
    std::size_t const g = w / out.workers_per_gpu;
    out.workers.push_back(
        {.memory = LocalMemory{type.memory_of_gpu(g)}, .gpu = true, .busy_power = type.power.gpu});
    out.worker_names.push_back(fmt::format("cuda{}", g));
    if (out.shares_gpu(w)) out.worker_names.back() += fmt::format("_{}", w % out.workers_per_gpu);
  }
  if (type.cycle_time.value > 0) reserved = 0;  // its cores are those that compute
  int const cores =
      std::max(0, type.cores - reserved - options.cores_per_gpu * static_cast<int>(type.gpus.size()));
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

/// Returns the sockets of the cores and the factors of the kernels; none if no kernel has a slow-down. Cores
/// are distributed evenly over the sockets, and spare workers run on the first one.
std::optional<Machine::Contention> contention_of(Machine::Type const& built, NodeType const& type,
                                                 std::vector<Slowdown> const& slowdowns, std::size_t spares) {
  if (std::ranges::all_of(slowdowns, [](Slowdown const& s) { return s.points.empty(); })) return {};
  Machine::Contention out;
  std::size_t const cores = built.workers.size() - built.gpus - spares;
  // Of more sockets than cores, each core has one.
  auto const sockets = std::clamp<std::size_t>(static_cast<std::size_t>(type.socket_count()), 1,
                                               std::max<std::size_t>(cores, 1));
  out.socket.assign(built.workers.size(), 0);
  for (std::size_t c = 0; c < cores; ++c)
    out.socket[built.gpus + c] = static_cast<std::uint32_t>(c * sockets / cores);
  out.socket_size = (cores + sockets - 1) / sockets + spares;
  for (Slowdown const& slowdown : slowdowns)
    for (std::size_t busy = 1; busy <= out.socket_size; ++busy)
      out.factors.push_back(slowdown.at(static_cast<int>(busy)));
  return out;
}

/// Returns the last core, if the communication thread takes time and no core is set aside for it.
std::optional<Machine::SharedCore> shared_core_of(Machine::Type const& built, NodeType const& type,
                                                  std::size_t nodes, RuntimeOptions const& options) {
  auto const spares = static_cast<std::size_t>(options.oversubscribed_workers);
  bool const has_core = built.workers.size() > built.gpus + spares;
  if (nodes == 1 || options.communication_cores > 0 || !type.communication.takes_time() || !has_core)
    return {};
  return Machine::SharedCore{LocalWorker{built.workers.size() - spares - 1}, type.communication.worker_share};
}

/// Returns the indices of the findings that concern the whole kernel file.
std::set<std::size_t> general_findings(KernelModel const& model) {
  std::set<std::size_t> out;
  for (std::size_t f = 0; f < model.findings.size(); ++f) out.insert(f);
  model.for_each_of_file([&](KernelTiming const& timing) {
    for (std::size_t const finding : timing.findings) out.erase(finding);
  });
  return out;
}

using GpuArithmetic = std::pair<std::string, Precision>;  // name of the GPU in kernel models

/// Returns the best rates in the kernel file: of a rate, the one of large tiles.
std::map<GpuArithmetic, double> best_rates(KernelModel const& model) {
  std::map<GpuArithmetic, double> best;
  model.for_each_of_file([&](KernelTiming const& t) {
    double const flops = nominal_flops(t.kernel, std::max(t.nb, 1));
    if (flops == 0 || (t.nb > 0 && t.mean.value == 0)) return;
    double& rate = best[{t.worker, t.precision}];
    rate = std::max(rate, t.nb > 0 ? flops / t.mean.value : t.rate.flops_per_second);
  });
  return best;
}

/// Returns the part of its GPU that each kernel uses while it runs alone, [kernels][workers]: its rate of operations over the
/// best one for that GPU and precision, of all kernels and tile sizes that the kernel file and the application have. 1 of
/// kernels that are bound by memory or have no operations, and on cores. `durations`: [kernels][workers], without power caps;
/// `gpus`: names in the kernel file of the first workers; `precision`: of kernels without one of their own.
std::vector<double> gpu_parts(KernelModel const& model, std::span<Kernel const> kernels, Precision precision,
                              std::span<double const> durations, std::span<std::string const> gpus) {
  std::size_t const workers = durations.size() / std::max<std::size_t>(kernels.size(), 1);
  std::map<GpuArithmetic, double> best = best_rates(model);
  auto const best_for = [&](std::size_t k, std::size_t w) -> double& {
    return best[{gpus[w], kernels[k].precision.value_or(precision)}];
  };
  auto const rate = [&](std::size_t k, std::size_t w) {
    double const duration = durations[k * workers + w];
    bool const tells = !kernels[k].memory_bound && std::isfinite(duration) && duration > 0;
    return tells ? kernels[k].flops.value / duration : 0;
  };
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t w = 0; w < gpus.size(); ++w) best_for(k, w) = std::max(best_for(k, w), rate(k, w));
  std::vector<double> parts(durations.size(), 1);
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t w = 0; w < gpus.size(); ++w)
      if (rate(k, w) > 0) parts[k * workers + w] = rate(k, w) / best_for(k, w);
  return parts;
}

Machine::Type build_type(NodeType const& type, KernelModel const& model, std::span<Kernel const> kernels,
                         TimingKey const& key, RuntimeOptions const& options, int reserved) {
  Machine::Type out = with_workers(type, options, reserved);
  out.findings = general_findings(model);
  bool const has_core = !out.workers.back().gpu;  // the GPUs are first
  auto const timing_on = [&](Kernel const& kernel, std::size_t w) -> KernelTiming const* {
    bool const spare = w + static_cast<std::size_t>(options.oversubscribed_workers) >= out.workers.size();
    if (spare && !kernel.on_spare_workers) return nullptr;
    return model.timing(timing_name(kernel), key.application, kernel.precision.value_or(key.precision),
                        out.timing_name(w), tile_size(kernel, key.nb));
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
  std::vector<Slowdown> slowdowns(kernels.size());  // on cores
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    Kernel const& kernel = kernels[k];
    for (std::size_t w = 0; w < out.workers.size(); ++w) {
      if (kernel.is_free) {  // on cores, unless all of them drive GPUs
        bool const runs = !out.workers[w].gpu || !has_core;
        add(runs ? 0 : cannot_run, 0, {0.0});
      } else if (KernelTiming const* const timing = timing_on(kernel, w)) {
        add(duration_by(*timing, tile_size(kernel, key.nb), kernel.flops).value, timing->deviation.value,
            timing->sample_seconds, timing->first_seconds);
        if (!out.workers[w].gpu) slowdowns[k] = timing->slowdown;
        out.findings.insert(timing->findings.begin(), timing->findings.end());
      } else {
        add(cannot_run, 0, {});
      }
    }
  }
  std::vector<std::string> names;
  for (Kernel const& kernel : kernels) names.push_back(power_name(type.power, kernel));
  if (options.gpu_sharing == GpuSharing::occupancy && options.workers_per_gpu > 1) {
    std::vector<std::string> gpus;
    for (std::size_t w = 0; w < out.gpus; ++w) gpus.push_back(out.timing_name(w));
    out.gpu_parts = gpu_parts(model, kernels, key.precision, out.durations, gpus);
  }
  set_powers(out, type, names);
  slow_down_capped(out, type, names);
  out.contention =
      contention_of(out, type, slowdowns, static_cast<std::size_t>(options.oversubscribed_workers));
  return out;
}

}  // namespace

std::string const& power_name(PowerSpec const& power, Kernel const& kernel) {
  return power.kernels.contains(timing_name(kernel)) ? timing_name(kernel) : kernel.name;
}

CappedKernel under_cap(PowerSpec const& power, std::string const& kernel, double cap) {
  double const above_idle = power.of_gpu(kernel), drawn = power.gpu_idle + above_idle;
  if (drawn <= cap) return {.slowdown = 1, .busy_power = above_idle};
  double const in_proportion = cap * power.gpu_speeds.back().cap / drawn;
  double const speed = interpolated(
      power.gpu_speeds, in_proportion, [](auto const& p) { return p.cap; },
      [](auto const& p) { return p.speed; });
  return {.slowdown = 1 / speed, .busy_power = cap - power.gpu_idle};
}

void set_powers(Machine::Type& type, NodeType const& node, std::span<std::string const> kernels) {
  if (node.power.kernels.empty() && node.gpu_caps.empty()) return;
  for (std::string const& kernel : kernels)
    for (std::size_t w = 0; w < type.workers.size(); ++w)
      type.busy_powers.push_back(
          !type.workers[w].gpu ? node.power.of_core(kernel)
          : node.gpu_caps.empty()
              ? node.power.of_gpu(kernel)
              : under_cap(node.power, kernel, node.gpu_caps[w / type.workers_per_gpu]).busy_power);
}

void slow_down_capped(Machine::Type& type, NodeType const& node, std::span<std::string const> kernels) {
  if (node.gpu_caps.empty()) return;
  std::size_t const workers = type.workers.size();
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t g = 0; g < type.gpus; ++g) {
      double const slowdown =
          under_cap(node.power, kernels[k], node.gpu_caps[g / type.workers_per_gpu]).slowdown;
      std::size_t const i = k * workers + g;
      type.durations[i] *= slowdown;
      type.deviations[i] *= slowdown;
      for (auto* const samples : {&type.samples, &type.first_samples})
        if (i < samples->size())
          for (double& seconds : (*samples)[i]) seconds *= slowdown;
    }
}

double Machine::Contention::lowest_factor(std::size_t kernel) const {
  return std::ranges::min(std::span(factors).subspan(kernel * socket_size, socket_size));
}

Machine build_machine(Platform const& platform, std::span<KernelModel const> models,
                      std::span<Kernel const> kernels, TimingKey const& key, RuntimeOptions const& options) {
  FACTOSIM_EXPECT(models.size() == platform.types.size(), "one kernel model per node type");
  Machine machine;
  machine.type_of = platform.nodes;
  int const reserved = options.reserved_cores + (platform.nodes.size() > 1 ? options.communication_cores : 0);
  for (std::size_t i = 0; i < platform.types.size(); ++i) {
    Machine::Type& type =
        machine.types.emplace_back(build_type(platform.types[i], models[i], kernels, key, options, reserved));
    type.shared_core = shared_core_of(type, platform.types[i], platform.nodes.size(), options);
  }
  machine.first_worker.push_back(0);
  for (std::uint32_t const type : platform.nodes)
    machine.first_worker.push_back(machine.first_worker.back() +
                                   static_cast<std::uint32_t>(machine.types[type].workers.size()));
  return machine;
}

}  // namespace factosim
