#include "simulator/simulation/simulate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/version.hpp"
#include "simulator/bounds/bounds.hpp"
#include "simulator/engine/simgrid.hpp"
#include "simulator/runtime/energy.hpp"
#include "simulator/scenario/option_readers.hpp"
#include "simulator/simulation/simulation_cost.hpp"
#include "simulator/trace/run_trace.hpp"

namespace factosim {

namespace {

void name_trace(TraceRecords& trace, Scenario const& s, PreparedScenario const& p) {
  for (std::uint32_t n = 0; n < p.machine.node_count(); ++n) {
    Machine::Type const& type = p.machine.type(NodeId{n});
    trace.node_type.push_back(s.platform.type_of(NodeId{n}).name);
    std::uint32_t const ram = p.topology.ram_of(NodeId{n}).value();
    NodeType const& described = s.platform.type_of(NodeId{n});
    for (std::size_t m = 0; m < described.memory_node_count(); ++m) {
      trace.memory_node_owner.push_back(NodeId{n});
      trace.memory_node_name.push_back(memory_node_name(described, m));
    }
    for (std::size_t w = 0; w < type.workers.size(); ++w)
      trace.workers.push_back(
          {type.worker_names[w], NodeId{n}, MemoryNodeId{ram + type.workers[w].memory.value()}, type.workers[w].gpu});
  }
}

/// Each GPU for itself, all cores together.
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

/// Sums up what nodes drew where all nodes have a power: a part of it would be read as all of it.
void add_energy(Result& r, Scenario const& s, PreparedScenario const& p, SimulationOutcome const& outcome) {
  Platform const& platform = s.platform;
  if (!std::all_of(platform.nodes.begin(), platform.nodes.end(),
                   [&](std::uint32_t type) { return platform.types[type].power.known(); }))
    return;
  Energy total;
  for (std::uint32_t n = 0; n < outcome.nodes.size(); ++n) {
    Energy const energy = energy_of(outcome.nodes[n], p.machine.type(NodeId{n}),
                                    platform.type_of(NodeId{n}).power, outcome.makespan);
    r.nodes[n].energy = energy_result(energy);
    total = total + energy;
  }
  r.energy = energy_result(total);
}

std::vector<Result::Node> node_results(Scenario const& s, PreparedScenario const& p,
                                       SimulationOutcome const& outcome) {
  std::vector<Result::Node> nodes;
  for (std::uint32_t n = 0; n < outcome.nodes.size(); ++n) {
    SimulationOutcome::Node const& o = outcome.nodes[n];
    nodes.push_back({.id = n,
                     .type = s.platform.type_of(NodeId{n}).name,
                     .workers = p.machine.type(NodeId{n}).workers.size(),
                     .busy = o.busy,
                     .first_task = o.first_task,
                     .last_task = o.last_task,
                     .tasks = o.tasks,
                     .tasks_by_worker = tasks_by_worker(p.machine.type(NodeId{n}), o.tasks_by_worker),
                     .tiles_sent = o.tiles_sent,
                     .tiles_received = o.tiles_received,
                     .peak_memory_bytes = o.peak_memory_bytes,
                     .over_memory_bytes = o.over_memory_bytes,
                     .activity = activity(o)});
  }
  return nodes;
}

std::vector<Result::Messages> phase_messages(PreparedScenario const& p) {
  std::vector<Result::Messages> out;
  if (p.graph.phases.empty()) return out;
  for (MessageCount const& c : count_messages_by_phase(p.graph, p.plan))
    out.push_back({.from = p.graph.phases[c.from].name,
                   .to = p.graph.phases[c.to].name,
                   .data = name_of(c.data),
                   .count = c.messages,
                   .bytes = c.bytes});
  return out;
}

/// A trace has several kernels of one name, for data of several shapes.
std::vector<std::pair<std::string, std::uint64_t>> tasks_by_kernel(TaskGraph const& graph,
                                                                   SimulationOutcome const& outcome) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
    std::string const& name = graph.kernels[k].name;
    auto const known = std::find_if(out.begin(), out.end(), [&](auto const& o) { return o.first == name; });
    if (known == out.end())
      out.emplace_back(name, outcome.tasks_by_kernel[k]);
    else
      known->second += outcome.tasks_by_kernel[k];
  }
  return out;
}

bool uses_estimates(Scenario const& s) {
  return std::any_of(s.platform.nodes.begin(), s.platform.nodes.end(), [&](std::uint32_t type) {
    return s.platform.types[type].estimate || s.models[type].estimate;
  });
}

void check_bounds([[maybe_unused]] Result const& r) {
  // Clp and sums of many durations round.
  [[maybe_unused]] Seconds const limit = r.makespan * (1 + 1e-9);
  FACTOSIM_ENSURE(r.bounds.abe <= limit, "the makespan beats the area bound");
  FACTOSIM_ENSURE(std::all_of(r.bounds.abe_per_node.begin(), r.bounds.abe_per_node.end(),
                              [&](Seconds b) { return b <= limit; }),
                  "the makespan beats the area bound of a node");
  FACTOSIM_ENSURE(r.bounds.critical_path <= limit, "the makespan beats the critical path");
  FACTOSIM_ENSURE(r.bounds.critical_path_with_comm <= limit,
                  "the makespan beats the critical path with messages");
}

}  // namespace

nlohmann::ordered_json provenance(std::string const& file, std::vector<std::string> const& settings,
                                  std::uint64_t seed) {
  return {{"factosim", version()}, {"git", git_revision()}, {"simgrid", simgrid_version()},
          {"scenario", file},      {"settings", settings},  {"seed", seed}};
}

nlohmann::ordered_json provenance(Scenario const& s) {
  nlohmann::ordered_json timings = nlohmann::ordered_json::array();
  for (std::size_t t = 0; t < s.platform.types.size(); ++t) {
    if (std::find(s.platform.nodes.begin(), s.platform.nodes.end(), t) == s.platform.nodes.end()) continue;
    timings.push_back({{"machine", s.models[t].machine},
                       {"file", s.models[t].file},
                       {"estimate", s.models[t].estimate || s.platform.types[t].estimate},
                       {"kernels", s.models[t].provenance},
                       {"machine_description", s.platform.types[t].provenance}});
  }
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (auto const& [name, value] : network_settings(s.network)) settings[name] = value;
  nlohmann::ordered_json out = provenance(s.file, s.settings, s.seed);
  out["options"] = s.effective_options;
  out["network_settings"] = settings;
  out["timings"] = timings;
  return out;
}

SimulationOutcome simulate_with_seed(Scenario const& s, PreparedScenario const& p, std::uint64_t seed,
                                     TraceRecords* trace, ProgressCallback progress, Series* series) {
  SimulationInputs inputs{p.graph, p.plan, p.machine, s.platform, s.runtime, s.scheduler, s.noise};
  if (s.trace) inputs.recording = &p.recording;
  inputs.scheduler.seed = inputs.noise.seed = seed;
  Engine engine(make_network(s.network, p.topology));
  return ClusterRuntime(inputs, p.topology, engine, trace, std::move(progress), series).run();
}

namespace {

/// [handles] where each is from the start; else where its last version stays.
std::vector<NodeId> homes(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::vector<NodeId> home(graph.handles.size());
  for (bool const at_start : {false, true})
    for (std::uint32_t n = 0; n + 1 < plan.first_replica.size(); ++n)
      for (Replica const& r : plan.replicas_on(NodeId{n}))
        if (at_start ? r.initial : r.owned) home[r.handle.index()] = NodeId{n};
  return home;
}

}  // namespace

Trace run_trace(Scenario const& s, PreparedScenario const& p, TraceRecords const& records) {
  Trace trace = trace_of(records, p.graph, homes(p.graph, p.plan), s.parameters.nb);
  trace.source = s.file;
  return trace;
}

double gflops(Scenario const& s, Seconds makespan) {
  if (s.trace) {
    auto const& flops = s.trace->trace->flops;  // those that it tells
    return std::accumulate(flops.begin(), flops.end(), 0.0) / makespan.value / 1e9;
  }
  return s.application->total_flops(s.parameters).value / makespan.value / 1e9;
}

Result result_of(Scenario const& s, PreparedScenario const& p, SimulationOutcome const& outcome) {
  Result r;
  r.name = s.name;
  r.estimate = uses_estimates(s);
  r.makespan = outcome.makespan;
  r.tasks = p.graph.task_count();
  r.tasks_by_kernel = tasks_by_kernel(p.graph, outcome);
  r.tiles_sent = outcome.tiles_sent;
  r.bytes_sent = outcome.bytes_sent;
  r.messages = phase_messages(p);
  r.bounds = compute_bounds(p.graph, p.plan, p.machine, p.topology);
  r.utilization = outcome.utilization;
  r.utilization_first_90 = outcome.utilization_first_90;
  r.nodes = node_results(s, p, outcome);
  for (Result::Node const& node : r.nodes) r.activity += node.activity;
  add_energy(r, s, p, outcome);
  r.host_to_device = outcome.host_to_device;
  r.device_to_host = outcome.device_to_host;
  r.device_to_device = outcome.device_to_device;
  r.host_to_host = outcome.host_to_host;
  return r;
}

Result simulate(Scenario const& s, PreparedScenario const& p, TraceRecords* trace, ProgressCallback progress,
                Series* series) {
  CostMeter const meter;
  if (trace != nullptr) name_trace(*trace, s, p);
  SimulationOutcome const outcome = simulate_with_seed(s, p, s.seed, trace, std::move(progress), series);
  Result::Cost const cost = meter.cost(p.graph.task_count());
  Result r = result_of(s, p, outcome);
  r.cost = cost;
  r.gflops = gflops(s, outcome.makespan);
  r.provenance = provenance(s);
  bool const means_only = !s.noise.on() && p.recording.duration_s.empty();
  if (means_only) check_bounds(r);  // they are those of the mean durations
  return r;
}

}  // namespace factosim
