#include "simulator/scenario/simulation/task_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "factosim/error.hpp"
#include "models/applications/task_formulas.hpp"
#include "simulator/scenario/replay/replay.hpp"
#include "simulator/scenario/simulation/memory_checks.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

namespace {

[[noreturn]] void fail_without_timing(PlacedScenario const& s, std::size_t type, Kernel const& kernel) {
  auto const& [definition, parameters] = std::get<TiledApplication>(s.application);
  std::string const& name = definition->name;
  KernelModel const& model = s.models[type];
  bool const of_parts = kernel.nb > 0;
  int const nb = tile_size(kernel, parameters.nb);
  Precision const needed = kernel.precision.value_or(parameters.precision);
  std::string const precision(name_of(needed));
  std::string const sizes = model.tile_sizes_text(timing_name(kernel), name, needed);
  if (sizes.empty())
    throw InputError(
        s.file + "#/application/precision",
        fmt::format("{} {} cannot run on {} ({} has no {} precision timing of {} for it, and nothing is "
                    "extrapolated). Choose another precision, machine or application, or import timings",
                    precision, name, model.machine, model.file, precision, timing_name(kernel)));
  throw InputError(s.file + (of_parts ? "#/application/nested" : "#/application/nb"),
                   fmt::format("tiles of {} cannot run on {} ({} has timings of {} {} for tiles of {} only, "
                               "and nothing is extrapolated). Use one of these, or import timings",
                               nb, model.machine, model.file, precision, timing_name(kernel), sizes));
}

void check_runnable(TaskPlan const& p) {
  if (auto const found = find_unrunnable(p))
    fail_without_timing(p.scenario, p.machine.type_of[found->node.index()], p.work.kernels[found->kernel]);
}

[[noreturn]] void fail_without_samples(PlacedScenario const& s, std::size_t type, Kernel const& kernel,
                                       std::string const& worker) {
  auto const* const tiled = std::get_if<TiledApplication>(&s.application);
  auto const* const graph = std::get_if<GraphApplication>(&s.application);
  ApplicationParameters parameters;
  if (tiled != nullptr) parameters = tiled->parameters;
  if (graph != nullptr) parameters.nb = graph->options.nb, parameters.precision = graph->options.precision;
  KernelModel const& model = s.models[type];
  throw InputError(
      s.file + "#/noise/distribution",
      fmt::format("is empirical, and durations of {} on {} of {} cannot be drawn ({} has no \"samples_s\" in "
                  "that timing, {} precision, tiles of {}). Add them there, or use normal or lognormal",
                  kernel.name, worker, s.platform.types[type].name, model.file, name_of(parameters.precision),
                  parameters.nb));
}

void check_samples(TaskPlan const& p) {
  if (p.scenario.noise.distribution != NoiseDistribution::empirical) return;
  auto const& tasks = p.work.tasks_by_node;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    Machine::Type const& type = p.machine.type(NodeId{n});
    for (std::size_t i = 0; i < type.durations.size(); ++i) {
      std::size_t const kernel = i / type.workers.size();
      std::size_t const worker = i % type.workers.size();
      if (tasks[n][kernel] > 0 && !std::isinf(type.durations[i]) && type.samples[i].empty())
        fail_without_samples(p.scenario, p.machine.type_of[n], p.work.kernels[kernel],
                             type.timing_name(worker));
    }
  }
}

void check_calibrated(TaskPlan const& p) {
  if (p.scenario.noise.distribution != NoiseDistribution::calibrated) return;
  for (std::uint32_t const type : p.machine.type_of)
    if (KernelModel const& model = p.scenario.models[type]; !model.variability)
      throw InputError(
          p.scenario.file + "#/noise",
          fmt::format("is calibrated, and nobody knows how the runs of {} vary ({} has no \"variability\"; "
                      "factosim calibrate writes it from traces). Calibrate from traces, or use lognormal",
                      p.scenario.platform.types[type].name, model.file));
}

/// Checks that durations can be drawn.
void check_noise(TaskPlan const& p) {
  check_calibrated(p);
  check_samples(p);
}

void check_placed(TaskPlan const& p) {
  check_runnable(p);
  check_noise(p);
}

// ---- planning ----

/// Plans tasks that are not stored.
TaskPlan plan_flow(PlacedScenario&& s, TiledApplication const& app,
                   std::variant<StoredTasks, FormulaTasks, CountedTasks> tasks) {
  TimedApplication const timed = timed_application(s);
  Machine machine = machine_of(timed, timed.application.kernels(app.parameters));
  Topology topology(s.platform);
  PlacedWork work =
      with_flow(s, [&](PlacedFlow& flow) { return placed_work(flow, machine, topology, s.runtime); });
  check_ram(s, work.owned);
  Flops const total = timed.application.total_flops(app.parameters);
  TaskPlan out{std::move(s), std::move(machine), std::move(topology),
               total,        std::move(tasks),   std::move(work)};
  check_placed(out);
  out.grid = grid_of(out);
  return out;
}

/// Plans stored tasks. Checks nothing, and sets no grid.
TaskPlan plan_stored(PlacedScenario&& s, StoredTasks tasks, Machine machine, Flops total) {
  Topology topology(s.platform);
  PlacedWork work = placed_work(tasks.graph, tasks.plan, machine, topology, s.runtime);
  return {std::move(s), std::move(machine), std::move(topology), total, std::move(tasks), std::move(work)};
}

/// Checks the noise and all memories, and sets the grid.
TaskPlan completed(TaskPlan&& p) {
  check_noise(p);
  check_ram(p.scenario, p.work.owned);
  check_gpus_hold(p.scenario, p.stored().graph, p.stored().plan, p.machine);
  check_out_of_core(p.scenario, p.stored().graph, p.stored().plan, p.machine);
  p.grid = grid_of(p);
  return std::move(p);
}

TaskPlan plan_tiled(PlacedScenario&& s, TiledApplication const& app, TaskStorage storage) {
  check_gpu_memory(s, tile_bytes(app.parameters));
  if (storage == TaskStorage::where_needed)
    if (auto formulas = formulas_of_run(app, s, s, s.distribution.map.has_layers()))
      return plan_flow(std::move(s), app, FormulaTasks{std::move(formulas)});
  TimedApplication const timed = timed_application(s);
  StoredTasks tasks{.graph = timed.application.graph(app.parameters, s.distribution.map),
                    .plan = {},
                    .formulas = formulas_beside_graph(app, s, s, s.distribution.map.has_layers())};
  tasks.plan =
      plan_execution(tasks.graph, owners_of_handles(tasks.graph, s.distribution), s.platform.nodes.size());
  Machine machine = machine_of(timed, tasks.graph.kernels);
  Flops const total = timed.application.total_flops(app.parameters);
  TaskPlan out = plan_stored(std::move(s), std::move(tasks), std::move(machine), total);
  check_runnable(out);
  return completed(std::move(out));
}

TaskPlan plan_recorded(PlacedScenario&& s, TraceApplication const& app) {
  ReplayPlan replay = plan_replay({.file = s.file,
                                   .application = app,
                                   .platform = s.platform,
                                   .models = s.models,
                                   .runtime = s.runtime,
                                   .map = &s.distribution.map});
  s.findings.insert(s.findings.end(), replay.findings.begin(), replay.findings.end());
  auto const& flops = app.trace->flops;  // as far as the trace has them
  Flops const total{std::accumulate(flops.begin(), flops.end(), 0.0)};
  StoredTasks tasks{std::move(replay.graph), std::move(replay.plan), std::move(replay.recording)};
  return completed(plan_stored(std::move(s), std::move(tasks), std::move(replay.machine), total));
}

TaskPlan plan_graph_file(PlacedScenario&& s, GraphApplication const& app) {
  PlacedGraph placed = place_graph(s, app);
  TaskPlan out = plan_graph(std::move(s), std::move(placed),
                            {.application = "", .precision = app.options.precision, .nb = app.options.nb});
  check_graph_runnable(out, app);
  return completed(std::move(out));
}

TaskPlan plan_by_policy(PlacedScenario&& s, TaskStorage storage) {
  if (auto const* const app = std::get_if<TraceApplication>(&s.application))
    return plan_recorded(std::move(s), TraceApplication(*app));
  if (auto const* const app = std::get_if<GraphApplication>(&s.application))
    return plan_graph_file(std::move(s), GraphApplication(*app));
  return plan_tiled(std::move(s), TiledApplication(std::get<TiledApplication>(s.application)), storage);
}

void follow_file(TaskPlan& p) {
  PlacedScenario& s = p.scenario;
  auto const* const replay = std::get_if<TraceApplication>(&s.application);
  if (replay != nullptr && replay->options.prescribes_workers())
    throw InputError(s.file + "#/application/mapping",
                     "keeps tasks on the workers of the trace (and the schedule names others). Use the "
                     "mapping \"nodes\", or no schedule");
  TaskSchedule fitted = fit_schedule(*s.schedule, {p.stored().graph, p.stored().plan, p.machine});
  auto const add = [&](std::string const& text) {
    Finding finding{s.schedule->file, 0, text};
    if (std::ranges::find(s.findings, finding.message, &Finding::message) == s.findings.end())
      s.findings.push_back(std::move(finding));
  };
  std::ranges::for_each(s.schedule->findings, add);
  if (fitted.strict && s.runtime.max_submitted_tasks > 0)
    add("workers take the first ready task in the schedule's order: the submission is limited, and waiting "
        "for a task that is not submitted yet could last for ever");
  follow(p, std::move(fitted));
}

}  // namespace

void refuse_estimates(ScenarioHead const& s) {
  if (s.detail.type != Detail::tasks)
    throw InputError(
        s.file + "#/detail/type",
        fmt::format("is \"{}\", which simulates some tasks only (this command is about each of them). Use "
                    "\"tasks\"",
                    name_of(s.detail.type)));
}

TaskPlan plan_work(PlacedScenario s) {
  TiledApplication const app = std::get<TiledApplication>(s.application);
  check_gpu_memory(s, tile_bytes(app.parameters));
  return plan_flow(std::move(s), app, CountedTasks{});
}

TimeGrid grid_of(TaskPlan const& p) {
  Seconds const expected = p.work.expected;
  constexpr double longest_s = max_date_s / 1000;
  if (expected.value > longest_s)
    throw InputError(p.scenario.file + "#/platform",
                     fmt::format("makes a run last about {:.2g} s (dates end at {:.0e} s). Give shorter "
                                 "latencies and durations, or larger bandwidths",
                                 expected.value, max_date_s));
  return TimeGrid::for_makespan(expected);
}

TaskPlan plan_graph(PlacedScenario s, PlacedGraph placed, TimingKey const& key) {
  if (s.runtime.gpu_sharing == GpuSharing::occupancy && s.runtime.workers_per_gpu > 1 &&
      !placed.graph.weights.empty())
    throw InputError(s.file + "#/runtime/gpu_sharing",
                     "is \"occupancy\" (tasks of the graph have durations of their own, so that kernels have "
                     "no rate of operations). Use \"equal\", or durations by kernel");
  if (placed.joined > 0)
    s.findings.push_back(
        {placed.source, 0,
         fmt::format(
             "{} tasks read several data that one task on another node wrote: these come as one message",
             placed.joined)});
  Flops const flops = total_flops(placed.graph);
  std::size_t const nodes = s.platform.nodes.size();
  ExecutionPlan plan = placed.nodes.empty()
                           ? plan_execution(placed.graph, placed.owners, nodes)
                           : plan_recorded_execution(placed.graph, placed.owners, placed.nodes, nodes);
  Machine machine = build_machine(s.platform, s.models, placed.graph.kernels, key, s.runtime);
  return plan_stored(std::move(s), {std::move(placed.graph), std::move(plan)}, std::move(machine), flops);
}

std::optional<UnrunnableTask> find_unrunnable(TaskPlan const& p) {
  auto const& tasks = p.work.tasks_by_node;
  for (std::size_t n = 0; n < tasks.size(); ++n)
    for (std::size_t k = 0; k < p.work.kernels.size(); ++k)
      if (tasks[n][k] > 0 &&
          std::ranges::all_of(p.machine.durations(NodeId{n}, k), [](double d) { return std::isinf(d); }))
        return UnrunnableTask{NodeId{n}, k};
  return std::nullopt;
}

TaskPlan plan_tasks(PlacedScenario scenario, TaskStorage storage) {
  refuse_estimates(scenario);
  TaskPlan out = plan_by_policy(std::move(scenario), storage);
  if (out.scenario.schedule) follow_file(out);
  return out;
}

void follow(TaskPlan& p, TaskSchedule schedule) {
  StoredTasks& tasks = p.stored();
  tasks.formulas.reset();
  if (!tasks.recording) tasks.recording.emplace();
  tasks.recording->worker = std::move(schedule.worker);
  tasks.recording->position = std::move(schedule.position);
  tasks.recording->strict = schedule.strict && p.scenario.runtime.max_submitted_tasks == 0;
  if (!schedule.priority.empty()) tasks.graph.priority = std::move(schedule.priority);
}

void re_place(TaskPlan& p, TileMap const& map) {
  TimedApplication const timed = timed_application(p.scenario);
  auto& [graph, plan, recording, formulas] = p.stored();
  if (map.has_layers()) formulas.reset();
  if (timed.application.depends_on_map(timed.parameters) || map.has_layers() ||
      p.scenario.distribution.map.has_layers())
    graph = timed.application.graph(timed.parameters, map);
  p.scenario.distribution.map = map;
  plan = plan_execution(graph, owners_of_handles(graph, p.scenario.distribution),
                        p.scenario.platform.nodes.size());
  p.work = placed_work(graph, plan, p.machine, p.topology, p.scenario.runtime);
  check_ram(p.scenario, p.work.owned);
  check_placed(p);
  p.grid = grid_of(p);
  if (p.scenario.schedule) follow_file(p);
}

bool TaskPlan::uses_estimates(bool sends) const {
  bool out = sends && scenario.platform.has_estimated_network();
  for (std::size_t n = 0; n < scenario.platform.nodes.size(); ++n)
    if (std::ranges::any_of(work.tasks_by_node[n], [](std::uint64_t tasks) { return tasks > 0; }))
      out = out || scenario.platform.type_of(NodeId{n}).estimate ||
            scenario.models[scenario.platform.nodes[n]].estimate;
  return out;
}

}  // namespace factosim
