#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "factosim/sequential_task_flow.hpp"
#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"

// Small simulations whose dates can be computed by hand.
namespace factosim::testing {

constexpr double core_time = 2;   // of the only kernel, on a core
constexpr double gpu_time = 0.5;  // on a GPU
constexpr Bytes tile{1'000'000};

/// Returns the node of each task: [submission numbers].
inline std::vector<NodeId> nodes_of_tasks(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::vector<NodeId> out;
  for (TaskId const t : in_submission_order(graph)) out.push_back(plan.node_of(t));
  return out;
}

/// Returns one member of all replicas of a plan.
template <class T>
std::vector<T> of_replicas(ExecutionPlan const& plan, T (*member)(Replica const&)) {
  std::vector<T> out;
  for (Replica const& r : plan.replicas) out.push_back(member(r));
  return out;
}
inline std::vector<bool> owned(ExecutionPlan const& plan) {
  return of_replicas<bool>(plan, [](Replica const& r) -> bool { return r.owned; });
}
inline std::vector<bool> initial(ExecutionPlan const& plan) {
  return of_replicas<bool>(plan, [](Replica const& r) -> bool { return r.initial; });
}
inline std::vector<std::uint32_t> uses(ExecutionPlan const& plan) {
  return of_replicas<std::uint32_t>(plan, [](Replica const& r) -> std::uint32_t { return r.uses; });
}

inline RuntimeOptions no_overheads() {
  RuntimeOptions o;
  for (Seconds RuntimeOptions::*cost :
       {&RuntimeOptions::submission_cost, &RuntimeOptions::push_cost, &RuntimeOptions::fetch_cost,
        &RuntimeOptions::progress_cost, &RuntimeOptions::wont_use_cost, &RuntimeOptions::gpu_queue_cost,
        &RuntimeOptions::gpu_malloc_cost, &RuntimeOptions::gpu_free_cost, &RuntimeOptions::pinning_cost})
    o.*cost = Seconds{0};
  o.rendezvous = {.question = 0, .answer = 0};
  o.communication_cores = 0;
  return o;
}

/// Nodes of `cores` cores and `gpus` GPUs; 1 MB crosses a bus in 1 ms + 10 us, a network in 10 ms + 2 us.
inline Platform platform_of(int nodes, int cores, int gpus, Bytes gpu_memory = Bytes{1'000'000'000}) {
  NodeType type;
  type.name = "test";
  type.cores = cores + gpus;
  type.nic = {BytesPerSecond{1e8}, Seconds{1e-6}};
  auto const memories = static_cast<std::size_t>(gpus + 1);
  type.bus.routes.resize(memories * memories);
  type.bus.predicted.resize(memories * memories, {BytesPerSecond{1e9}, Seconds{1e-5}});
  for (std::size_t g = 1; g < memories; ++g) {
    type.gpus.push_back({"gpu", gpu_memory});
    auto const first = static_cast<std::uint32_t>(type.bus.links.size());
    type.bus.links.push_back({"down" + std::to_string(g), BytesPerSecond{1e9}, Seconds{1e-5}});
    type.bus.links.push_back({"up" + std::to_string(g), BytesPerSecond{1e9}, Seconds{1e-5}});
    type.bus.routes[g] = {first};
    type.bus.routes[g * memories] = {first + 1};
  }
  Platform platform;
  platform.types = {type};
  platform.nodes.assign(static_cast<std::size_t>(nodes), 0);
  return platform;
}

/// One node of `rams` NUMA nodes with one core each, `gpus` GPUs; every memory is joined to the first RAM, 1
/// MB crosses that link in 1 ms + 10 us.
inline Platform numa_platform(int rams, int gpus, Bytes gpu_memory = Bytes{1'000'000'000}) {
  Platform platform = platform_of(1, rams, rams - 1 + gpus, gpu_memory);  // as if the RAMs were GPUs too
  NodeType& type = platform.types[0];
  type.cores = rams + gpus;
  type.numa_nodes = rams;
  type.gpus.resize(static_cast<std::size_t>(gpus));
  return platform;
}

struct Simulated {
  SimulationOutcome outcome;
  TraceRecords trace;
  TaskGraph graph;  // as placed
  ExecutionPlan plan;
};

/// The timings of the graph's only kernel.
inline KernelModel timings_of(TaskGraph const& graph, Platform const& platform, bool cpu_can = true) {
  KernelModel model;
  auto timing = [&](std::string worker, double seconds) {
    KernelTiming t;
    t.kernel = graph.kernels.front().name;
    t.worker = std::move(worker);
    t.nb = 10;
    t.mean = Seconds{seconds};
    return t;
  };
  if (cpu_can) model.timings.push_back(timing("cpu", core_time));
  for (std::size_t g = 0; g < platform.types[0].gpus.size(); ++g)
    model.timings.push_back(timing("cuda" + std::to_string(g), gpu_time));
  return model;
}

/// Runs a graph whose handle h is owned by `owners[p][h]` where distribution p places the phase.
inline Simulated simulate(TaskGraph graph, OwnersByPlacement const& owners, Platform const& platform,
                          RuntimeOptions const& options, std::string const& policy, KernelModel const& model,
                          NetworkOptions const& network) {
  Machine const machine =
      build_machine(platform, std::vector{model}, graph.kernels, {"", Precision::double_, 10}, options);
  ExecutionPlan const plan = plan_execution(graph, owners, platform.nodes.size());
  SimulationInputs const inputs{graph, plan, machine, platform, options, {.type = policy}};
  Topology const topology(platform);
  Engine engine(make_network(network, topology));
  Simulated out;
  ClusterRuntime cluster(inputs, topology, engine, &out.trace, {});
  out.outcome = cluster.run();
  out.graph = graph;
  out.plan = plan;
  return out;
}

/// The same on the max-min network.
inline Simulated simulate(TaskGraph graph, OwnersByPlacement const& owners, Platform const& platform,
                          RuntimeOptions const& options, std::string const& policy = "dmda",
                          bool cpu_can = true) {
  KernelModel const model = timings_of(graph, platform, cpu_can);
  return simulate(std::move(graph), owners, platform, options, policy, model,
                  {.model = NetworkModel::maxmin});
}

inline Simulated simulate(TaskGraph graph, std::vector<NodeId> const& owner, Platform const& platform,
                          RuntimeOptions const& options, std::string const& policy = "dmda",
                          bool cpu_can = true) {
  return simulate(std::move(graph), OwnersByPlacement{owner}, platform, options, policy, cpu_can);
}

/// A flow of one kernel on handles of one tile each.
struct Flow {
  SequentialTaskFlow flow;
  KernelId kernel = flow.add_kernel({.name = "work", .flops = {1}});
  explicit Flow(int handles) {
    for (int h = 0; h < handles; ++h) flow.add_handle({.size = tile, .m = h, .n = 0});
  }
  void task(std::vector<std::pair<int, Access>> const& accesses, int priority = 0) {
    std::vector<DataAccess> list;
    for (auto const& [handle, mode] : accesses) list.emplace_back(HandleId{handle}, mode);
    flow.submit(kernel, priority, {}, list);
  }
  TaskGraph graph() { return std::move(flow).finish(); }
  [[nodiscard]] TaskGraph graph_copy() const { return Flow(*this).graph(); }
};

inline std::vector<NodeId> on_nodes(std::vector<int> const& nodes) {
  std::vector<NodeId> out;
  for (int const n : nodes) out.emplace_back(n);
  return out;
}

constexpr auto rw = Access::read_write;
constexpr auto r = Access::read;

}  // namespace factosim::testing
