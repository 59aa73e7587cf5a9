#include "simulator/bounds/bounds.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "simulator/engine/constant_network.hpp"
#include "simulator/graph/critical_path.hpp"

namespace factosim {

namespace {

/// A message may end before its time by the tolerance within which ends of transfers are simultaneous, and by the
/// rounding of SimGrid's clock.
constexpr double early_ticks = Network::tie_ticks + 6;

/// Area bounds of durations in whole ticks.
class TickAreas {
 public:
  TickAreas(Machine const& machine, TimeGrid const& grid) : machine_(machine), grid_(grid) {}

  [[nodiscard]] Seconds of_node(std::uint32_t type, std::vector<std::uint64_t> const& tasks) const {
    return bound(tasks, worker_classes(machine_.types[type], tasks.size(), 1));
  }
  [[nodiscard]] Seconds of_cluster(std::vector<std::uint64_t> const& tasks) const {
    return bound(tasks, worker_classes(machine_, tasks.size(), nodes_by_type(machine_)));
  }

 private:
  [[nodiscard]] Seconds bound(std::vector<std::uint64_t> const& tasks,
                              std::vector<WorkerClass> classes) const {
    for (WorkerClass& c : classes)
      for (double& duration : c.durations) duration = grid_.ticks({duration});
    return grid_.seconds(area_bound(tasks, classes).makespan.value);
  }

  Machine const& machine_;
  TimeGrid const& grid_;
};

std::vector<Seconds> bound_per_node(std::vector<std::vector<std::uint64_t>> const& tasks,
                                    Machine const& machine, TickAreas const& areas) {
  std::vector<Seconds> bounds;
  // Nodes of one type with the same tasks have the same bound.
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, Seconds> known;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    auto const [place, is_new] = known.try_emplace({machine.type_of[n], tasks[n]});
    if (is_new) place->second = areas.of_node(machine.type_of[n], tasks[n]);
    bounds.push_back(place->second);
  }
  return bounds;
}

std::vector<std::uint64_t> sum_of_nodes(std::vector<std::vector<std::uint64_t>> const& tasks) {
  std::vector<std::uint64_t> total(tasks.front().size(), 0);
  for (auto const& node : tasks)
    for (std::size_t k = 0; k < node.size(); ++k) total[k] += node[k];
  return total;
}

/// Returns the duration of the kernel on the fastest worker, where contention slows it down least.
Seconds shortest_duration(Machine::Type const& type, std::size_t kernel) {
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t w = 0; w < type.workers.size(); ++w)
    shortest = std::min(shortest, type.shortest_duration(kernel, w));
  return Seconds{shortest};
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

Bounds compute_bounds(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                      Topology const& topology, TimeGrid const& grid) {
  auto const tasks = tasks_by_node(graph, plan, machine);
  std::vector<Seconds> durations = shortest_durations(graph, plan, machine);
  for (Seconds& d : durations) d.value = grid.ticks(d);
  auto const message_ticks = [&](TaskId from, TaskId to) {
    NodeId const a = plan.node_of(from);
    if (plan.runs_on(to, a)) return Seconds{0};
    NodeId const b = plan.node_of(to);
    Seconds const least = unshared_time(topology, topology.ram_of(a), topology.ram_of(b),
                                        graph.handles[graph.written_by(from).index()].size);
    return Seconds{std::max(0.0, grid.ticks(least) - early_ticks)};
  };
  auto const path = [&](EdgeTime const& edge_ticks) {
    return grid.seconds(critical_path(graph, durations, edge_ticks).length.value);
  };
  Seconds const bare = path({});
  TickAreas const areas(machine, grid);
  return {.abe = areas.of_cluster(sum_of_nodes(tasks)),
          .abe_per_node = bound_per_node(tasks, machine, areas),
          .critical_path = bare,
          .critical_path_with_comm = machine.node_count() == 1 ? bare : path(message_ticks)};
}

}  // namespace factosim
