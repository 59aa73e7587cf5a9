#include "simulator/simulation/simulate.hpp"

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/simulation/provenance.hpp"
#include "simulator/simulation/result_assembly.hpp"
#include "simulator/simulation/simulation_cost.hpp"
#include "simulator/trace/run_trace.hpp"

namespace factosim {

namespace {

/// Adds the names of nodes, memories and workers.
void name_trace(TraceRecords& trace, TaskPlan const& p) {
  Platform const& platform = p.scenario.platform;
  for (std::uint32_t n = 0; n < p.machine.node_count(); ++n) {
    Machine::Type const& type = p.machine.type(NodeId{n});
    trace.node_type.push_back(platform.type_of(NodeId{n}).name);
    std::uint32_t const ram = p.topology.ram_of(NodeId{n}).value();
    NodeType const& described = platform.type_of(NodeId{n});
    for (std::size_t m = 0; m < described.memory_node_count(); ++m) {
      trace.memory_node_owner.push_back(NodeId{n});
      trace.memory_node_name.push_back(memory_node_name(described, m));
    }
    for (std::size_t w = 0; w < type.workers.size(); ++w)
      trace.workers.push_back({type.worker_names[w], NodeId{n},
                               MemoryNodeId{ram + type.workers[w].memory.value()}, type.workers[w].gpu});
  }
}

/// Checks the bounds of the mean durations.
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

/// Returns the node of each handle: the one that has it at the start, or the owner of its last version.
std::vector<NodeId> homes(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::vector<NodeId> home = last_owners(graph, plan);
  for (std::uint32_t n = 0; n + 1 < plan.first_replica.size(); ++n)
    for (Replica const& r : plan.replicas_on(NodeId{n}))
      if (r.initial) home[r.handle.index()] = NodeId{n};
  return home;
}

}  // namespace

SimulationOutcome simulate_with_seed(TaskPlan const& p, std::uint64_t seed, TraceRecords* trace,
                                     ProgressCallback progress, Series* series) {
  PlacedScenario const& s = p.scenario;
  SimulationInputs inputs{p.graph, p.plan, p.machine, s.platform, s.runtime, s.scheduler, s.noise};
  if (p.recording) inputs.recording = &*p.recording;
  inputs.scheduler.seed = inputs.noise.seed = seed;
  Engine engine(make_network(s.network, p.topology));
  return ClusterRuntime(inputs, p.topology, engine, trace, std::move(progress), series).run();
}

Trace run_trace(TaskPlan const& p, TraceRecords const& records) {
  auto const* const tiled = std::get_if<TiledApplication>(&p.scenario.application);
  int const nb = tiled != nullptr ? tiled->parameters.nb : 0;
  Trace trace = trace_of(records, p.graph, homes(p.graph, p.plan), nb);
  trace.source = p.scenario.file;
  return trace;
}

Result simulate(TaskPlan const& p, TraceRecords* trace, ProgressCallback progress, Series* series) {
  CostMeter const meter;
  if (trace != nullptr) name_trace(*trace, p);
  SimulationOutcome const outcome =
      simulate_with_seed(p, p.scenario.seed, trace, std::move(progress), series);
  Result result = result_of(p, outcome, meter.cost(p.graph.task_count()));
  result.provenance = provenance(p.scenario);
  bool const means_only = !p.scenario.noise.on() && !(p.recording && !p.recording->duration_s.empty());
  if (means_only) check_bounds(result);
  return result;
}

}  // namespace factosim
