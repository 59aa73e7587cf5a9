#include "simulator/simulation/result_assembly.hpp"

#include <algorithm>

#include "simulator/bounds/bounds.hpp"
#include "simulator/runtime/energy.hpp"

namespace factosim {

namespace {

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
    Energy const energy = energy_of(outcome.nodes[n], p.machine.type(NodeId{n}),
                                    platform.type_of(NodeId{n}).power, outcome.makespan);
    r.nodes[n].energy = energy_result(energy);
    total = total + energy;
  }
  r.energy = energy_result(total);
}

std::vector<Result::Node> node_results(TaskPlan const& p, SimulationOutcome const& outcome) {
  std::vector<Result::Node> nodes;
  for (std::uint32_t n = 0; n < outcome.nodes.size(); ++n) {
    SimulationOutcome::Node const& o = outcome.nodes[n];
    nodes.push_back({.id = n,
                     .type = p.scenario.platform.type_of(NodeId{n}).name,
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

std::vector<Result::Messages> phase_messages(TaskPlan const& p) {
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

/// Sums over kernels of one name: a trace has one kernel for each shape of the data.
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

bool uses_estimates(PlacedScenario const& s) {
  return std::any_of(s.platform.nodes.begin(), s.platform.nodes.end(), [&](std::uint32_t type) {
    return s.platform.types[type].estimate || s.models[type].estimate;
  });
}

/// Adds the doubts that the files of the machines in use state about their values.
void add_file_findings(Result& r, PlacedScenario const& s) {
  r.findings.insert(r.findings.end(), s.platform.findings.begin(), s.platform.findings.end());
  for (std::size_t t = 0; t < s.models.size(); ++t)
    if (std::find(s.platform.nodes.begin(), s.platform.nodes.end(), t) != s.platform.nodes.end())
      r.findings.insert(r.findings.end(), s.models[t].findings.begin(), s.models[t].findings.end());
}

}  // namespace

double gflops(TaskPlan const& p, Seconds makespan) { return p.total_flops.value / makespan.value / 1e9; }

Result result_of(TaskPlan const& p, SimulationOutcome const& outcome, Result::Cost const& cost) {
  Result r;
  r.cost = cost;
  r.name = p.scenario.name;
  r.estimate = uses_estimates(p.scenario);
  r.makespan = outcome.makespan;
  r.gflops = gflops(p, outcome.makespan);
  r.tasks = p.graph.task_count();
  r.tasks_by_kernel = tasks_by_kernel(p.graph, outcome);
  r.tiles_sent = outcome.tiles_sent;
  r.bytes_sent = outcome.bytes_sent;
  r.messages = phase_messages(p);
  r.bounds = compute_bounds(p.graph, p.plan, p.machine, p.topology);
  r.utilization = outcome.utilization;
  r.utilization_first_90 = outcome.utilization_first_90;
  r.nodes = node_results(p, outcome);
  for (Result::Node const& node : r.nodes) r.activity += node.activity;
  add_energy(r, p, outcome);
  add_file_findings(r, p.scenario);
  r.host_to_device = outcome.host_to_device;
  r.device_to_host = outcome.device_to_host;
  r.device_to_device = outcome.device_to_device;
  r.host_to_host = outcome.host_to_host;
  return r;
}

}  // namespace factosim
