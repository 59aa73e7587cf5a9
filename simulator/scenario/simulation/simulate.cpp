#include "simulator/scenario/simulation/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "factosim/error.hpp"
#include "models/applications/task_formulas.hpp"
#include "simulator/runtime/cluster/formula_flow.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "simulator/runtime/policies/checked.hpp"
#include "simulator/scenario/replay/replay.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"

namespace factosim {

namespace {

/// Checks the bounds of the mean durations, which are computed on the grid of the clock: no tolerance.
void check_bounds([[maybe_unused]] Result const& r) {
  FACTOSIM_ENSURE(r.bounds.problem() <= r.makespan, "the makespan beats a bound of the problem");
  FACTOSIM_ENSURE(r.bounds.distribution() <= r.makespan, "the makespan beats a bound of the distribution");
}

/// Returns the node of each handle: the one that has it at the start, or the owner of its last version.
std::vector<NodeId> homes(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::vector<NodeId> home = last_owners(graph, plan);
  for (std::uint32_t n = 0; n + 1 < plan.first_replica.size(); ++n)
    for (Replica const& r : plan.replicas_on(NodeId{n}))
      if (r.initial) home[r.handle.index()] = NodeId{n};
  return home;
}

/// Returns the tasks of each GPU, and of all cores together.
std::vector<std::pair<std::string, std::uint64_t>> tasks_by_worker(Machine::Type const& type,
                                                                   std::vector<std::uint64_t> const& tasks) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  std::uint64_t on_cores = 0;
  for (std::size_t w = 0; w < type.workers.size(); ++w) {
    std::uint64_t const count = w < tasks.size() ? tasks[w] : 0;
    if (type.workers[w].gpu)
      out.emplace_back(type.worker_names[w], count);
    else
      on_cores += count;
  }
  if (type.workers.size() > type.gpus) out.emplace_back("cpu", on_cores);
  return out;
}

Result::Energy energy_result(Energy const& e) {
  return {.total = e.total(),
          .idle = e.idle,
          .busy = e.busy,
          .total_with_power_off = e.total_with_power_off(),
          .powered_off_nodes = e.powered_off};
}

/// Adds the energy of the nodes if all of them have a power: a partial sum would be misleading.
void add_energy(Result& r, TaskPlan const& p, SimulationOutcome const& outcome) {
  Platform const& platform = p.scenario.platform;
  if (!std::all_of(platform.nodes.begin(), platform.nodes.end(),
                   [&](std::uint32_t type) { return platform.types[type].power.known(); }))
    return;
  Energy total;
  for (std::uint32_t n = 0; n < outcome.nodes.size(); ++n) {
    Energy const energy = energy_of(outcome.nodes[n], platform.type_of(NodeId{n}).power, outcome.makespan);
    r.nodes[n].energy = energy_result(energy);
    total = total + energy;
  }
  r.energy = energy_result(total);
  if (platform.co2_per_kwh) r.energy->co2 = *platform.co2_per_kwh * total.total().value / 3.6e6;
}

std::vector<Result::Node> node_results(TaskPlan const& p, SimulationOutcome const& outcome) {
  std::vector<Result::Node> nodes;
  for (std::uint32_t n = 0; n < outcome.nodes.size(); ++n) {
    SimulationOutcome::Node const& o = outcome.nodes[n];
    std::size_t const gpus = p.machine.type(NodeId{n}).gpus;  // the first workers
    auto const ran = o.busy_by_worker.begin() + std::min(gpus, o.busy_by_worker.size());
    nodes.push_back(
        {.id = n,
         .type = p.scenario.platform.type_of(NodeId{n}).name,
         .workers = p.machine.type(NodeId{n}).workers.size(),
         .busy = o.busy,
         .gpu_busy = gpus > 0 ? std::optional(Seconds{std::accumulate(o.busy_by_worker.begin(), ran, 0.)})
                              : std::nullopt,
         .gpu_workers = gpus,
         .first_task = o.first_task,
         .last_task = o.last_task,
         .tasks = o.tasks,
         .tasks_by_worker = tasks_by_worker(p.machine.type(NodeId{n}), o.tasks_by_worker),
         .tiles_sent = o.tiles_sent,
         .tiles_received = o.tiles_received,
         .peak_memory_bytes = o.peak_memory_bytes,
         .over_memory_bytes = o.over_memory_bytes,
         .activity = activity(o)});
    if (p.scenario.platform.type_of(NodeId{n}).out_of_core) nodes.back().disk = {o.disk_read, o.disk_written};
  }
  return nodes;
}

std::vector<Result::Messages> phase_messages(std::vector<Phase> const& phases,
                                             std::vector<MessageCount> const& counts) {
  std::vector<Result::Messages> out;
  if (phases.empty()) return out;
  for (MessageCount const& c : counts)
    out.push_back({.from = phases[c.from].name,
                   .to = phases[c.to].name,
                   .data = name_of(c.data),
                   .count = c.messages,
                   .bytes = c.bytes});
  return out;
}

/// Sums over kernels of one name: a trace has one kernel for each shape of the data.
std::vector<std::pair<std::string, std::uint64_t>> tasks_by_kernel(std::span<Kernel const> kernels,
                                                                   std::vector<std::uint64_t> const& tasks) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::string const& name = kernels[k].name;
    auto const known = std::find_if(out.begin(), out.end(), [&](auto const& o) { return o.first == name; });
    if (known == out.end())
      out.emplace_back(name, tasks[k]);
    else
      known->second += tasks[k];
  }
  return out;
}

RuntimeOptions runtime_options(TaskPlan const& p, NoiseOptions const& noise) {
  return on_grid(perturbed(p.scenario.runtime, noise), p.grid);
}

/// Simulates tasks that formulas give. If the plan stores them as well, dates and traces have their numbers in its graph.
SimulationOutcome simulate_by_formulas(TaskPlan const& p, TaskFormulas const& formulas,
                                       SchedulerOptions const& scheduler, NoiseOptions const& noise,
                                       Engine& engine, TraceRecords* trace, ProgressCallback progress) {
  Platform const& platform = p.scenario.platform;
  bool const pins_receives = std::ranges::any_of(
      platform.nodes, [&](std::uint32_t type) { return platform.types[type].memory_node_count() > 1; });
  auto const& [definition, parameters] = std::get<TiledApplication>(p.scenario.application);
  SequentialTaskFlow tiles;
  definition->flow(parameters, p.scenario.distribution.map)->begin(tiles);
  TaskGraph const data = std::move(tiles).finish();  // without tasks
  FormulaFlow flow(formulas, data, owners_of_handles(data, p.scenario.distribution).front(),
                   platform.nodes.size(), pins_receives);
  std::vector<TaskId> numbers;
  if (auto const* const stored = std::get_if<StoredTasks>(&p.tasks))
    numbers = in_submission_order(stored->graph);
  SimulationInputs const inputs{flow.graph(), flow.plan(), p.machine, platform, runtime_options(p, noise),
                                scheduler,    noise};
  return ClusterRuntime(inputs, p.topology, engine, trace, std::move(progress), nullptr, &flow, numbers)
      .run();
}

/// Returns a finding about workers of a node type that can run none of the application's kernels; empty if there are
/// none.
std::string idle_workers(TaskPlan const& p, std::size_t type, NodeId first) {
  Machine::Type const& built = p.machine.type(first);
  auto const* const stored = std::get_if<StoredTasks>(&p.tasks);
  if (stored != nullptr && stored->recording) return {};  // the trace says who runs what
  std::vector<bool> runs(built.workers.size(), false);
  std::vector<std::string> kernels;
  for (std::size_t k = 0; k < p.work.kernels.size(); ++k) {
    if (p.work.kernels[k].is_free) continue;
    std::span<double const> const durations = built.durations_of(k);
    std::size_t able = 0;
    for (std::size_t w = 0; w < runs.size(); ++w) {
      bool const can = std::isfinite(durations[w]);
      able += can ? 1 : 0;
      runs[w] = runs[w] || can;
    }
    std::string text = fmt::format("{} on {}", p.work.kernels[k].name, able);
    if (std::ranges::find(kernels, text) == kernels.end()) kernels.push_back(std::move(text));
  }
  auto const idle = std::ranges::count(runs, false);
  if (idle == 0) return {};
  return fmt::format(
      "{}: {} of {} workers can run no kernel of this application and stay idle ({}): the {} no timings "
      "for them",
      p.scenario.platform.types[type].name, idle, runs.size(), fmt::join(kernels, ", "),
      std::holds_alternative<GraphApplication>(p.scenario.application) ? "graph and the kernel file have"
                                                                       : "kernel file has");
}

/// Returns the findings about all that the result depends on: the scenario, its platform, its kernel files.
std::vector<std::string> findings_of(TaskPlan const& p) {
  PlacedScenario const& s = p.scenario;
  std::vector<std::string> out = texts_of(s.findings);
  auto const add = [&](std::vector<std::string> const& more) {
    out.insert(out.end(), more.begin(), more.end());
  };
  auto const shared = [](Machine::Type const& type) { return !type.gpu_parts.empty(); };
  if (std::ranges::any_of(p.machine.types, shared))
    out.emplace_back(
        "ASSUMPTION: a kernel uses the part of a GPU that its rate of operations is of the best known one, "
        "and kernels of several workers slow each other down only beyond that (runtime/gpu_sharing)");
  add(s.platform.findings);
  if (s.platform.network.routes) add(s.platform.network.routes->findings);
  for (std::uint32_t t = 0; t < s.platform.types.size(); ++t) {
    auto const node = std::ranges::find(s.platform.nodes, t);
    if (node == s.platform.nodes.end()) continue;
    NodeId const first{static_cast<std::uint32_t>(node - s.platform.nodes.begin())};
    for (std::size_t const finding : p.machine.type(first).findings) {
      std::string text = s.models[t].findings[finding];
      if (std::string const of = s.models[t].machine + ": "; !text.starts_with(of)) text.insert(0, of);
      if (std::ranges::find(out, text) == out.end())
        out.push_back(std::move(text));  // variants share their timings
    }
    if (std::string text = idle_workers(p, t, first); !text.empty()) out.push_back(std::move(text));
  }
  return out;
}

/// Returns a result without what a simulation tells of its tasks.
Result result_head(TaskPlan const& p, Seconds makespan, Bounds bounds, Result::Cost const& cost) {
  Result r;
  r.cost = cost;
  r.name = p.scenario.name;
  r.findings = findings_of(p);
  r.makespan = makespan;
  r.gflops = gflops(p, makespan);
  r.tasks = p.task_count();
  r.bounds = std::move(bounds);
  return r;
}

/// Adds the names of nodes, memories and workers to the records of a simulation.
void name_trace(TraceRecords& trace, TaskPlan const& p) {
  Platform const& platform = p.scenario.platform;
  trace.gpu_direct = platform.network.gpu_direct != GpuDirect::none;
  for (std::uint32_t n = 0; n < p.machine.node_count(); ++n) {
    Machine::Type const& type = p.machine.type(NodeId{n});
    std::uint32_t const ram = p.topology.ram_of(NodeId{n}).value();
    NodeType const& described = platform.type_of(NodeId{n});
    trace.nodes.push_back({.name = std::to_string(n), .type = described.name});
    for (std::size_t m = 0; m < described.memory_node_count(); ++m)
      trace.memory_nodes.push_back({memory_node_name(described, m), NodeId{n}});
    for (std::size_t w = 0; w < type.workers.size(); ++w)
      trace.workers.push_back({type.worker_names[w], NodeId{n},
                               MemoryNodeId{ram + type.workers[w].memory.value()},
                               type.workers[w].gpu ? Trace::Device::gpu : Trace::Device::cpu});
  }
}

/// Returns the result of a simulated plan: its outcome with its figures, and energies. Leaves out the provenance.
Result result_of(TaskPlan const& p, SimulationOutcome const& outcome, TaskFigures figures,
                 Result::Cost const& cost, bool removes_limits) {
  Result r = result_head(p, outcome.makespan, std::move(figures.bounds), cost);
  if (auto const* const replay = std::get_if<TraceApplication>(&p.scenario.application))
    if (auto text = difference_of_replay(*replay, outcome)) r.findings.push_back(std::move(*text));
  r.tasks_by_kernel = tasks_by_kernel(p.work.kernels, outcome.tasks_by_kernel);
  r.tiles_sent = outcome.tiles_sent;
  r.bytes_sent = outcome.bytes_sent;
  r.estimate = p.uses_estimates(r.tiles_sent > 0);
  r.messages = phase_messages(p.work.phases, figures.messages_by_phase);
  r.diagnosis = diagnosis_of(p, outcome, r.bounds, removes_limits);
  r.utilization = outcome.utilization;
  r.utilization_first_90 = outcome.utilization_first_90;
  r.nodes = node_results(p, outcome);
  for (Result::Node const& node : r.nodes) r.activity += node.activity;
  add_energy(r, p, outcome);
  r.host_to_device = outcome.host_to_device;
  r.device_to_host = outcome.device_to_host;
  r.device_to_device = outcome.device_to_device;
  r.host_to_host = outcome.host_to_host;
  return r;
}

constexpr Seconds longest_run{1e12};  // dates of traces are below 1e15 s

SimulationOutcome run_tasks(TaskPlan const& p, NoiseOptions const& noise, TraceRecords* trace,
                            ProgressCallback progress, Series* series) {
  PlacedScenario const& s = p.scenario;
  SchedulerOptions scheduler = s.scheduler;
  scheduler.seed = noise.seed;
  Engine engine(make_network(s.network, p.topology), p.grid);
  if (auto const* const tasks = std::get_if<FormulaTasks>(&p.tasks)) {
    FACTOSIM_EXPECT(series == nullptr, "a run by formulas records no series");
    return simulate_by_formulas(p, *tasks->formulas, scheduler, noise, engine, trace, std::move(progress));
  }
  StoredTasks const& tasks = p.stored();
  if (tasks.formulas && series == nullptr)
    return simulate_by_formulas(p, *tasks.formulas, scheduler, noise, engine, trace, std::move(progress));
  SimulationInputs inputs{tasks.graph, tasks.plan, p.machine, s.platform, runtime_options(p, noise),
                          scheduler,   noise};
  if (tasks.recording) inputs.recording = &*tasks.recording;
  auto const run = [&] {
    return ClusterRuntime(inputs, p.topology, engine, trace, std::move(progress), series).run();
  };
  if (!s.scheduler.own && !own_policies_are_checked) return run();
  CheckedPolicies policies(scheduler);
  inputs.make_policy = [&](SchedulerOptions const& options, NodeView const& node) {
    return policies.make(options, node);
  };
  try {
    return run();
  } catch (ContractError const&) {
    policies.check_empty();  // why it came to a stop
    throw;
  }
}

}  // namespace

SimulationOutcome simulate_with_noise(TaskPlan const& p, NoiseOptions const& noise, TraceRecords* trace,
                                      ProgressCallback progress, Series* series) {
  SimulationOutcome outcome = run_tasks(p, noise, trace, std::move(progress), series);
  if (outcome.makespan > longest_run)
    throw InputError(p.scenario.file + "#",
                     fmt::format("lasts {:.3g} s (more than {:.0g} s). Check its durations, bandwidths and "
                                 "latencies, and factors of them",
                                 outcome.makespan.value, longest_run.value));
  return outcome;
}

SimulationOutcome simulate_with_seed(TaskPlan const& p, std::uint64_t seed, TraceRecords* trace,
                                     ProgressCallback progress, Series* series) {
  NoiseOptions noise = p.scenario.noise;
  noise.seed = noise.perturbation_seed = seed;
  return simulate_with_noise(p, noise, trace, std::move(progress), series);
}

Trace run_trace(TaskPlan const& p, TraceRecords const& records) {
  auto const* const tiled = std::get_if<TiledApplication>(&p.scenario.application);
  auto const* const graph = std::get_if<GraphApplication>(&p.scenario.application);
  int const nb = tiled != nullptr ? tiled->parameters.nb : graph != nullptr ? graph->options.nb : 0;
  Trace trace;
  if (auto const* const stored = std::get_if<StoredTasks>(&p.tasks)) {
    trace = trace_of(records, stored->graph, homes(stored->graph, stored->plan), nb);
  } else {
    TaskGraph const all = tiled->definition->graph(tiled->parameters, p.scenario.distribution.map);
    trace = trace_of(records, all, owners_of_handles(all, p.scenario.distribution).front(), nb);
  }
  trace.source = p.scenario.file;
  trace.program = this_program();
  return trace;
}

Result simulate(TaskPlan const& p, TraceRecords* trace, ProgressCallback progress, Series* series,
                bool removes_limits) {
  TaskFigures figures = figures_of(p);  // before the long work: it may fail to load a solver
  CostMeter const meter;
  if (trace != nullptr) name_trace(*trace, p);
  SimulationOutcome outcome = simulate_with_seed(p, p.scenario.seed, trace, std::move(progress), series);
  Result result = result_of(p, outcome, std::move(figures), meter.cost(p.task_count()), removes_limits);
  result.provenance = provenance(p.scenario);
  if (!p.scenario.noise.on() && !std::holds_alternative<TraceApplication>(p.scenario.application))
    check_bounds(result);  // of the mean durations
  return result;
}

TaskFigures figures_of(TaskPlan const& p) {
  MessageRules const rules{.links_are_shared = p.scenario.network.model != NetworkModel::constant,
                           .broadcast = p.scenario.runtime.broadcast};
  if (auto const* const stored = std::get_if<StoredTasks>(&p.tasks))
    return task_figures(stored->graph, stored->plan, p.machine, p.topology, p.grid, rules);
  return with_flow(p.scenario, [&](PlacedFlow& flow) {
    return task_figures(flow, p.work, p.machine, p.topology, p.grid, rules);
  });
}

Bounds bounds_of(TaskPlan const& p) { return figures_of(p).bounds; }

double gflops(TaskPlan const& p, Seconds makespan) { return p.total_flops.value / makespan.value / 1e9; }

Result estimated_result(TaskPlan const& p, TaskFigures figures, Seconds makespan, Result::Detail detail,
                        Result::Cost const& cost) {
  Result r = result_head(p, makespan, std::move(figures.bounds), cost);
  std::vector<std::uint64_t> of_kernel(p.work.kernels.size(), 0);
  for (auto const& tasks : p.work.tasks_by_node)
    for (std::size_t k = 0; k < tasks.size(); ++k) of_kernel[k] += tasks[k];
  r.tasks_by_kernel = tasks_by_kernel(p.work.kernels, of_kernel);
  for (MessageCount const& c : figures.messages_by_phase) {
    r.tiles_sent += c.messages;
    r.bytes_sent += c.bytes;
  }
  r.estimate = p.uses_estimates(r.tiles_sent > 0) || detail.error_relative > 0;
  r.diagnosis = {.limit = "unknown",
                 .text = "what limits the run is not known: the dates of its tasks are not (detail)"};
  r.detail = std::move(detail);
  r.provenance = provenance(p.scenario);
  return r;
}

}  // namespace factosim
