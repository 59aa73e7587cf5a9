#include "simulator/bounds/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "simulator/bounds/load_and_path.hpp"
#include "simulator/bounds/task_chains.hpp"

namespace factosim {

namespace {

/// Ends of flows are exact up to this share of their duration: the precision of SimGrid.
constexpr double flow_precision = 1e-6;

/// Returns the machine with the shortest durations in whole ticks: sums of them are exact.
Machine in_ticks(Machine machine, TimeGrid const& grid) {
  for (Machine::Type& type : machine.types) {
    std::size_t const workers = type.workers.size();
    for (std::size_t i = 0; i < type.durations.size(); ++i)
      if (!std::isinf(type.durations[i]))
        type.durations[i] = grid.ticks(Seconds{type.shortest_duration(i / workers, i % workers)});
    type.contention.reset();
  }
  return machine;
}

/// Nodes of one type with the same tasks have the same bound.
using KnownBounds = std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, AreaBound>;

/// The area bound of each node, with the prices of its kernels.
std::vector<AreaBound const*> bound_per_node(std::vector<std::vector<std::uint64_t>> const& tasks,
                                             Machine const& machine, KnownBounds& known) {
  std::vector<AreaBound const*> bounds;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    auto const [place, is_new] = known.try_emplace({machine.type_of[n], tasks[n]});
    if (is_new) {
      place->second = area_bound(tasks[n], worker_classes(machine.type(NodeId{n}), tasks[n].size(), 1));
    }
    bounds.push_back(&place->second);
  }
  return bounds;
}

std::vector<std::uint64_t> sum_over_nodes(std::vector<std::vector<std::uint64_t>> const& tasks) {
  std::vector<std::uint64_t> total(tasks.front().size(), 0);
  for (auto const& node : tasks)
    for (std::size_t k = 0; k < node.size(); ++k) total[k] += node[k];
  return total;
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
                      Topology const& topology, TimeGrid const& grid, MessageRules const& rules) {
  Machine const on_grid = in_ticks(machine, grid);
  auto const seconds = [&](Seconds ticks) { return grid.seconds(ticks.value); };
  auto const tasks = tasks_by_node(graph, plan, machine);
  auto const classes = worker_classes(on_grid, graph.kernels.size(), nodes_by_type(machine));
  TaskChains const chains = task_chains(graph, plan, on_grid, topology, grid);
  Bounds out;
  out.abe = seconds(area_bound(sum_over_nodes(tasks), classes).makespan);
  out.problem_path = grid.seconds(chains.longest.fastest);
  out.problem_area_and_path = seconds(area_and_path(graph, chains, classes));
  out.critical_path = grid.seconds(chains.longest.own);
  out.critical_path_with_comm = grid.seconds(chains.longest.with_messages);
  KnownBounds known;
  auto const per_node = bound_per_node(tasks, on_grid, known);
  for (std::size_t n = 0; n < per_node.size(); ++n) {
    out.abe_per_node.push_back(seconds(per_node[n]->makespan));
    out.load_and_path =
        std::max(out.load_and_path, seconds(load_and_path(graph, chains, plan.first_task[n],
                                                          plan.first_task[n + 1], per_node[n]->prices)));
  }
  if (LinkLoad const link = most_loaded_link(graph, plan, topology, rules); link.link) {
    auto const messages = messages_of_link(*link.link, graph, plan, on_grid, topology, grid, rules, chains);
    double const with_chains = work_and_path(messages) * (1 - flow_precision) - early_ticks;
    out.load_and_path = std::max(out.load_and_path, grid.seconds(std::max(0.0, with_chains)));
    out.link = link.seconds * (1 - flow_precision);
    out.link_name = topology.links()[*link.link].name;
  }
  return out;
}

}  // namespace factosim
