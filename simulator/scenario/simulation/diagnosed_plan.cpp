#include <algorithm>
#include <variant>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/tasks/bounds/node_area_bounds.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim {

namespace {

constexpr std::uint64_t quick_tasks = 400'000;  // at most, of a simulation that takes about a second

constexpr LinkRate unlimited{BytesPerSecond{1e18}, Seconds{0}};

void remove_network(PlacedScenario& s) {
  NetworkSpec& network = s.platform.network;
  network.fabric = {};
  network.routes = nullptr;
  network.backbone = {};
  network.one_at_a_time = false;
  network.efficiency = {};
  for (Subnet& subnet : network.subnets) subnet.uplink = unlimited;
  for (NodeType& type : s.platform.types) type.nic = unlimited, type.communication = {};
}

void remove_buses(PlacedScenario& s) {
  for (NodeType& type : s.platform.types) {
    for (LinkSpec& link : type.bus.links) link.rate = unlimited;
    for (LinkRate& rate : type.bus.predicted)
      if (rate.bandwidth.value > 0) rate = unlimited;
  }
}

/// Returns the makespan of the plan without a limit; nothing where that takes long, with a policy of the caller, or
/// where a recording has what is to be removed. SimGrid simulates once in a process: its own model of sharing takes
/// its place.
std::optional<Seconds> simulated_without(TaskPlan const& p, DelayLimit limit) {
  if (p.task_count() > quick_tasks || p.scenario.scheduler.own) return std::nullopt;
  auto const* const replay = std::get_if<TraceApplication>(&p.scenario.application);
  if (replay != nullptr && (replay->own_platform || limit == DelayLimit::submission)) return std::nullopt;
  TaskPlan without = p;
  PlacedScenario& s = without.scenario;
  if (s.network.model == NetworkModel::simgrid) s.network.model = NetworkModel::maxmin;
  switch (limit) {
    case DelayLimit::network:
      remove_network(s);
      break;
    case DelayLimit::bus:
      remove_buses(s);
      break;
    case DelayLimit::gpu_memory:
      for (NodeType& type : s.platform.types)
        if (!type.unified_memory)
          for (GpuSpec& gpu : type.gpus) gpu.memory = Bytes{std::int64_t{1} << 50U};
      break;
    case DelayLimit::submission:
      s.runtime.submission_cost = {};
      s.runtime.allocate_at_submission = false;
      s.runtime.max_submitted_tasks = 0;
      break;
  }
  without.topology = Topology(s.platform);
  return simulate_with_seed(without, s.seed, nullptr, {}).makespan;
}

/// Returns the area bound of the node with most work. Throws InfeasibleError if a node cannot run its tasks.
Seconds most_loaded_node(TaskPlan const& p, OwnersByPlacement const& owners) {
  TaskGraph const& graph = p.stored().graph;
  std::vector<std::vector<std::uint64_t>> tasks(p.machine.node_count(),
                                                std::vector<std::uint64_t>(graph.kernels.size(), 0));
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    NodeId const node = owners[graph.placement(TaskId{t})][graph.written_by(TaskId{t}).index()];
    ++tasks[node.index()][graph.kernel[t]];
  }
  Seconds most{0};
  for (std::uint32_t n = 0; n < tasks.size(); ++n)
    most = std::max(
        most, area_bound(tasks[n], worker_classes(p.machine.type(NodeId{n}), tasks[n].size(), 1)).makespan);
  return most;
}

/// Of the distributions by the speeds of the nodes, 1D-1D and 1Dx1D-C, returns the one with the least loaded most
/// loaded node, and a lower bound for the tasks of the plan: the load of that node, at least the bound of the
/// `problem`. Nothing for replays and graphs of a program, for tasks that depend on the map, and where a node lacks
/// a timing. O(tasks), and two maps.
std::optional<OtherDistribution> most_even_distribution(TaskPlan const& p, Seconds problem) {
  auto const* const tiled = std::get_if<TiledApplication>(&p.scenario.application);
  if (tiled == nullptr || tiled->definition->depends_on_map(tiled->parameters)) return std::nullopt;
  if (p.scenario.distribution.map.has_layers()) return std::nullopt;
  std::vector<char const*> names{"1d1d"};
  if (!tiled->definition->is_product) names.push_back("1d1d-c");
  try {
    std::optional<OtherDistribution> best;
    for (char const* const name : names) {
      Distribution const other = distribution_of({{"type", name}}, p.scenario);
      Seconds const load = most_loaded_node(p, owners_of_handles(p.stored().graph, other));
      if (!best || load < best->at_least) best = {name, load};
    }
    best->at_least = std::max(best->at_least, problem);
    return best;
  } catch (InputError const&) {  // a node without a timing of some kernel
    return std::nullopt;
  } catch (InfeasibleError const&) {
    return std::nullopt;
  }
}

}  // namespace

Result::Diagnosis diagnosis_of(TaskPlan const& p, SimulationOutcome const& outcome, Bounds const& bounds,
                               bool removes_limits) {
  auto const* const stored = std::get_if<StoredTasks>(&p.tasks);
  if (stored == nullptr)
    return {.limit = "unknown",
            .text =
                "what limits the run is not known: with tasks from formulas, their dates are not kept "
                "(application/task_graph)"};
  std::vector<std::string> types;
  for (std::uint32_t const type : p.scenario.platform.nodes)
    types.push_back(p.scenario.platform.types[type].name);
  RuntimeOptions const& runtime = p.scenario.runtime;
  return diagnose(
      {stored->graph, stored->plan, p.machine, p.topology, types, outcome, bounds,
       [&] { return most_even_distribution(p, bounds.problem()); },
       runtime.unrolling == Unrolling::whole ? runtime.submission_cost : Seconds{},
       [&](DelayLimit limit) { return removes_limits ? simulated_without(p, limit) : std::nullopt; }});
}

}  // namespace factosim
