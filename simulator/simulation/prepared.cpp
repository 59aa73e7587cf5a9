#include "simulator/simulation/prepared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"
#include "simulator/bounds/bounds.hpp"
#include "simulator/plan/plan_execution.hpp"
#include "simulator/replay/replay.hpp"
#include "simulator/runtime/gpu_memory.hpp"
#include "simulator/runtime/ram_usage.hpp"
#include "simulator/simulation/size_limit.hpp"

namespace factosim {

namespace {

[[noreturn]] void fail_without_timing(Scenario const& s, std::size_t type, Kernel const& kernel) {
  KernelModel const& model = s.models[type];
  std::string const precision(name_of(s.parameters.precision));
  std::vector<int> const sizes =
      model.tile_sizes(timing_name(kernel), s.application->name, s.parameters.precision);
  if (sizes.empty())
    throw InputError(
        s.file + "#/application/precision",
        fmt::format("{} {} cannot run on {} ({} has no {} precision timing of {} for it, and nothing is "
                    "extrapolated). Choose another precision, machine or application, or import timings",
                    precision, s.application->name, model.machine, model.file, precision,
                    timing_name(kernel)));
  throw InputError(
      s.file + "#/application/nb",
      fmt::format(
          "tiles of {} cannot run on {} ({} has timings of {} {} for tiles of {} only, and nothing is "
          "extrapolated). Use one of these, or import timings",
          s.parameters.nb, model.machine, model.file, precision, timing_name(kernel),
          fmt::join(sizes, ", ")));
}

void check_runnable(Scenario const& s, PreparedScenario const& p) {
  auto const tasks = tasks_by_node(p.graph, p.plan, p.machine);
  for (std::size_t n = 0; n < tasks.size(); ++n)
    for (std::size_t k = 0; k < p.graph.kernels.size(); ++k) {
      auto const durations = p.machine.durations(NodeId{n}, k);
      bool const runs =
          std::any_of(durations.begin(), durations.end(), [](double d) { return !std::isinf(d); });
      if (tasks[n][k] > 0 && !runs) fail_without_timing(s, p.machine.type_of[n], p.graph.kernels[k]);
    }
}

[[noreturn]] void fail_without_samples(Scenario const& s, std::size_t type, Kernel const& kernel,
                                       std::string const& worker) {
  KernelModel const& model = s.models[type];
  throw InputError(
      s.file + "#/noise/distribution",
      fmt::format("is empirical, and durations of {} on {} of {} cannot be drawn ({} has no \"samples_s\" in "
                  "that timing, {} precision, tiles of {}). Add them there, or use normal or lognormal",
                  kernel.name, worker, model.machine, model.file, name_of(s.parameters.precision),
                  s.parameters.nb));
}

void check_samples(Scenario const& s, PreparedScenario const& p) {
  if (s.noise.distribution != NoiseDistribution::empirical) return;
  auto const tasks = tasks_by_node(p.graph, p.plan, p.machine);
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    Machine::Type const& type = p.machine.type(NodeId{n});
    for (std::size_t i = 0; i < type.durations.size(); ++i) {
      std::size_t const kernel = i / type.workers.size();
      std::size_t const worker = i % type.workers.size();
      if (tasks[n][kernel] > 0 && !std::isinf(type.durations[i]) && type.samples[i].empty())
        fail_without_samples(s, p.machine.type_of[n], p.graph.kernels[kernel],
                             type.workers[worker].gpu ? type.worker_names[worker] : "cpu");
    }
  }
}

void check_placed(Scenario const& s, PreparedScenario const& p) {
  check_runnable(s, p);
  check_samples(s, p);
}

void check_gpu_memory(Scenario const& s) {
  constexpr int operands = 3;
  int const tiles = operands * std::max(1, s.runtime.gpu_pipeline);
  for (std::uint32_t const type : s.platform.nodes)
    for (GpuSpec const& gpu : s.platform.types[type].gpus) {
      GpuMemory memory(gpu, s.runtime.gpu_memory_fraction);
      for (int i = 0; i < tiles; ++i)
        if (memory.take(tile_bytes(s.parameters)) == GpuMemory::Grant::refused)
          throw InfeasibleError(fmt::format(
              "a {} of {} cannot hold the {} tiles of {} bytes that the tasks in its pipeline need. "
              "Use smaller tiles or a shorter pipeline",
              gpu.model, s.platform.types[type].name, tiles, tile_bytes(s.parameters).value));
    }
}

/// The tiles of each node fit into its RAM; what it will receive is only known in the run.
void check_ram(Scenario const& s, TaskGraph const& graph, ExecutionPlan const& plan) {
  if (s.runtime.out_of_core) return;
  std::vector<std::int64_t> owned(s.platform.nodes.size(), 0);
  for (std::uint32_t n = 0; n < owned.size(); ++n)
    for (Replica const& r : plan.replicas_on(NodeId{n}))
      if (r.owned) owned[n] += graph.handles[r.handle.index()].size.value;
  for (std::size_t n = 0; n < owned.size(); ++n) {
    NodeType const& type = s.platform.type_of(NodeId{n});
    if (type.ram.value > 0 && owned[n] > type.ram.value)
      throw InfeasibleError(fmt::format("node {} ({}) owns {} bytes of tiles and has a RAM of {}. {}", n,
                                        type.name, owned[n], type.ram.value, memory_advice));
  }
}

std::vector<NodeId> owners(TaskGraph const& graph, TileMap const& map) {
  std::vector<NodeId> owner;
  owner.reserve(graph.handles.size());
  for (HandleInfo const& h : graph.handles) owner.push_back(h.owner.valid() ? h.owner : map.at(h.m, h.n));
  return owner;
}

/// Of the main map, and of generation where the application has such a phase.
OwnersByPlacement owners_by_placement(TaskGraph const& graph, Distribution const& distribution) {
  OwnersByPlacement owner{owners(graph, distribution.map)};
  if (!graph.phases.empty()) owner.push_back(owners(graph, distribution.generation_map()));
  return owner;
}

}  // namespace

PreparedScenario prepare(Scenario const& s, SizeLimit const& limit) {
  check_size(s, limit);
  if (s.trace) return prepare_replay(s);
  check_gpu_memory(s);
  TaskGraph graph = s.application->graph(s.parameters, s.distribution.map);
  ExecutionPlan plan =
      plan_execution(graph, owners_by_placement(graph, s.distribution), s.platform.nodes.size());
  check_ram(s, graph, plan);
  TimingKey const key{s.application->name, s.parameters.precision, s.parameters.nb};
  Machine machine = build_machine(s.platform, s.models, graph.kernels, key, s.runtime);
  PreparedScenario prepared{std::move(graph), std::move(plan), std::move(machine), Topology(s.platform)};
  check_placed(s, prepared);
  return prepared;
}

PreparedScenario prepare(Scenario const& s) { return prepare(s, {}); }

void place(Scenario const& s, PreparedScenario& p, TileMap const& map) {
  if (s.application->graph_depends_on_map) p.graph = s.application->graph(s.parameters, map);
  Distribution changed = s.distribution;
  changed.map = map;
  p.plan = plan_execution(p.graph, owners_by_placement(p.graph, changed), s.platform.nodes.size());
  check_placed(s, p);
}

}  // namespace factosim
