#include "simulator/bounds/bounds.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "simulator/engine/constant_network.hpp"
#include "simulator/graph/critical_path.hpp"

namespace factosim {

namespace {

std::vector<Seconds> bound_per_node(std::vector<std::vector<std::uint64_t>> const& tasks,
                                    Machine const& machine) {
  std::vector<Seconds> bounds;
  // Nodes of one type with the same tasks have the same bound.
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, Seconds> known;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    auto const [place, is_new] = known.try_emplace({machine.type_of[n], tasks[n]});
    if (is_new) {
      Machine::Type const& type = machine.types[machine.type_of[n]];
      place->second = area_bound(tasks[n], worker_classes(type, tasks[n].size(), 1)).makespan;
    }
    bounds.push_back(place->second);
  }
  return bounds;
}

Seconds global_bound(std::vector<std::vector<std::uint64_t>> const& tasks, Machine const& machine) {
  std::vector<std::uint64_t> total(tasks.front().size(), 0);
  for (auto const& node : tasks)
    for (std::size_t k = 0; k < node.size(); ++k) total[k] += node[k];
  return area_bound(total, worker_classes(machine, total.size(), nodes_by_type(machine))).makespan;
}

/// Returns the duration of the kernel on the fastest worker, where contention slows it down least.
Seconds shortest_duration(Machine::Type const& type, std::size_t kernel) {
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t w = 0; w < type.workers.size(); ++w)
    shortest = std::min(shortest, type.shortest_duration(kernel, w));
  return Seconds{shortest};
}

/// Duration of each task on the fastest worker of its node, [tasks].
std::vector<Seconds> shortest_durations(TaskGraph const& graph, ExecutionPlan const& plan,
                                        Machine const& machine) {
  std::vector<std::vector<Seconds>> by_type(machine.types.size());
  for (std::size_t t = 0; t < machine.types.size(); ++t)
    for (std::size_t k = 0; k < graph.kernels.size(); ++k)
      by_type[t].push_back(shortest_duration(machine.types[t], k));
  std::vector<Seconds> durations;
  durations.reserve(graph.task_count());
  for (std::uint32_t n = 0; n < machine.node_count(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t)
      durations.push_back(by_type[machine.type_of[n]][graph.kernel[t]]);
  return durations;
}

}  // namespace

std::vector<WorkerClass> worker_classes(Machine::Type const& type, std::size_t kernels, std::uint32_t nodes) {
  std::vector<WorkerClass> classes;
  for (std::size_t w = 0; w < type.workers.size(); ++w) {
    std::vector<double> durations;
    for (std::size_t k = 0; k < kernels; ++k) durations.push_back(type.shortest_duration(k, w));
    auto const alike = std::find_if(classes.begin(), classes.end(),
                                    [&](WorkerClass const& c) { return c.durations == durations; });
    if (alike != classes.end())
      alike->count += nodes;
    else
      classes.push_back({nodes, std::move(durations)});
  }
  return classes;
}

std::vector<WorkerClass> worker_classes(Machine const& machine, std::size_t kernels,
                                        std::span<std::uint32_t const> nodes) {
  std::vector<WorkerClass> classes;
  for (std::size_t t = 0; t < machine.types.size(); ++t) {
    if (nodes[t] == 0) continue;
    auto const of_type = worker_classes(machine.types[t], kernels, nodes[t]);
    classes.insert(classes.end(), of_type.begin(), of_type.end());
  }
  return classes;
}

std::vector<std::uint32_t> nodes_by_type(Machine const& machine) {
  std::vector<std::uint32_t> nodes(machine.types.size(), 0);
  for (std::uint32_t const type : machine.type_of) ++nodes[type];
  return nodes;
}

std::vector<std::vector<std::uint64_t>> tasks_by_node(TaskGraph const& graph, ExecutionPlan const& plan,
                                                      Machine const& machine) {
  std::vector<std::vector<std::uint64_t>> tasks(machine.node_count(),
                                                std::vector<std::uint64_t>(graph.kernels.size(), 0));
  for (std::uint32_t n = 0; n < tasks.size(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t) ++tasks[n][graph.kernel[t]];
  return tasks;
}

Bounds compute_bounds(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                      Topology const& topology) {
  auto const tasks = tasks_by_node(graph, plan, machine);
  auto const message_time = [&](TaskId from, TaskId to) {
    NodeId const a = plan.node_of(from);
    if (plan.runs_on(to, a)) return Seconds{0};
    NodeId const b = plan.node_of(to);
    return unshared_time(topology, topology.ram_of(a), topology.ram_of(b),
                         graph.handles[graph.written_by(from).index()].size);
  };
  auto const path = [&](EdgeTime const& edge_time) {
    return critical_path(graph, shortest_durations(graph, plan, machine), edge_time).length;
  };
  Seconds const bare = path({});
  return {.abe = global_bound(tasks, machine),
          .abe_per_node = bound_per_node(tasks, machine),
          .critical_path = bare,
          .critical_path_with_comm = machine.node_count() == 1 ? bare : path(message_time)};
}

}  // namespace factosim
