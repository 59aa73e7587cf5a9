#include "simulator/tasks/bounds/bounds.hpp"

#include <algorithm>
#include <span>

#include "simulator/tasks/bounds/load_and_path.hpp"
#include "simulator/tasks/bounds/message_times.hpp"
#include "simulator/tasks/bounds/rounding.hpp"
#include "simulator/tasks/bounds/task_chains.hpp"
#include "simulator/tasks/bounds/task_work.hpp"

namespace factosim {

namespace {

/// Amounts of work of each kind on each node, [nodes][kinds].
std::vector<std::vector<double>> work_by_node(TaskWork const& work, ExecutionPlan const& plan) {
  std::vector<std::vector<double>> out(work.machine.node_count(), std::vector<double>(work.kinds, 0));
  for (std::uint32_t n = 0; n < out.size(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t)
      out[n][work.kind(t)] += work.amount(t);
  return out;
}

std::vector<double> sum_over_nodes(std::vector<std::vector<double>> const& work) {
  std::vector<double> total(work.front().size(), 0);
  for (auto const& node : work)
    for (std::size_t k = 0; k < node.size(); ++k) total[k] += node[k];
  return total;
}

}  // namespace

std::vector<WorkerClass> worker_classes(Machine::Type const& type, std::size_t kernels, std::uint32_t nodes) {
  std::vector<WorkerClass> classes;
  for (std::size_t w = 0; w < type.workers.size(); ++w) {
    if (type.shares_gpu(w)) continue;
    std::vector<double> durations;
    for (std::size_t k = 0; k < kernels; ++k) durations.push_back(type.device_time(k, w));
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

NodeAreaBounds::NodeAreaBounds(std::vector<std::vector<double>> const& work, Machine const& machine) {
  for (std::size_t n = 0; n < work.size(); ++n) {
    auto const [place, is_new] = known_.try_emplace({machine.type_of[n], work[n]});
    if (is_new)
      place->second =
          area_bound(std::span(work[n]), worker_classes(machine.type(NodeId{n}), work[n].size(), 1));
    of_node_.push_back(&place->second);
  }
  std::vector<double> const all = sum_over_nodes(work);
  of_all_ = area_bound(std::span(all), worker_classes(machine, all.size(), nodes_by_type(machine)));
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
  TaskWork const work = work_of(graph, machine, grid);
  auto const seconds = [&](Seconds ticks) { return grid.seconds(ticks.value); };
  auto const by_node = work_by_node(work, plan);
  auto const classes = worker_classes(work.machine, work.kinds, nodes_by_type(machine));
  ShortestDurations const shortest(graph, machine, grid);
  TaskChains const chains = task_chains(graph, plan, shortest, topology, grid);
  Bounds out;
  NodeAreaBounds const areas(by_node, work.machine);
  out.abe = seconds(areas.of_all().makespan);
  out.problem_path = grid.seconds(chains.longest.fastest);
  out.problem_area_and_path = seconds(area_and_path(work, chains, classes));
  out.critical_path = grid.seconds(chains.longest.own);
  out.critical_path_with_comm = grid.seconds(chains.longest.with_messages);
  for (std::size_t n = 0; n < by_node.size(); ++n) {
    AreaBound const& area = areas.of_node(n);
    out.abe_per_node.push_back(seconds(area.makespan));
    out.load_and_path = std::max(
        out.load_and_path,
        seconds(load_and_path(work, chains, plan.first_task[n], plan.first_task[n + 1], area.prices)));
  }
  if (LinkLoad const link = most_loaded_link(graph, plan, topology, rules); link.link) {
    auto const messages = messages_of_link(*link.link, graph, plan, shortest, topology, grid, rules, chains);
    double const with_chains = work_and_path(messages) * (1 - flow_precision) - early_ticks;
    out.load_and_path = std::max(out.load_and_path, grid.seconds(std::max(0.0, with_chains)));
    out.link = link.seconds * (1 - flow_precision);
    out.link_name = topology.links()[*link.link].name;
  }
  if (work.weighted() || uses_gpu_parts(machine)) subtract_rounding(out, graph.task_count(), grid.tick());
  return out;
}

}  // namespace factosim
