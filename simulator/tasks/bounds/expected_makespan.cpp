#include "simulator/tasks/bounds/expected_makespan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/tasks/graph/critical_path.hpp"

namespace factosim {

namespace {

/// What is expected is at most this times a bound of the makespan, so that a slow link that carries little cannot make
/// ticks longer than kernels: a tick is then at most 2^-41 of the makespan.
constexpr double most_above_bounds = 16;

/// Returns the duration of each task on the fastest worker of its node where contention slows it down least, [tasks].
std::vector<Seconds> shortest_durations(TaskGraph const& graph, ExecutionPlan const& plan,
                                        Machine const& machine) {
  std::vector<Seconds> durations;
  durations.reserve(graph.task_count());
  if (!graph.weights.empty()) {
    for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
      double const seconds =
          machine.type(plan.node_of(TaskId{t})).shortest_duration(graph.kernel[t], graph.weights[t]);
      durations.push_back(Seconds{std::isinf(seconds) ? 0 : seconds});
    }
    return durations;
  }
  std::size_t const kernels = graph.kernels.size();
  std::vector<Seconds> const by_type = shortest_durations(machine, kernels);
  for (std::uint32_t n = 0; n < machine.node_count(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t)
      durations.push_back(by_type[machine.type_of[n] * kernels + graph.kernel[t]]);
  return durations;
}

std::vector<Seconds> work_by_node(std::vector<Seconds> const& durations, ExecutionPlan const& plan) {
  std::vector<Seconds> work(plan.first_task.size() - 1);
  for (std::size_t n = 0; n < work.size(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t) work[n] += durations[t];
  return work;
}

}  // namespace

LinkRate slowest_rate(Topology const& topology) {
  LinkRate out{BytesPerSecond{std::numeric_limits<double>::infinity()}, Seconds{0}};
  for (LinkSpec const& link : topology.links()) {
    out.bandwidth = std::min(out.bandwidth, link.rate.bandwidth);
    out.latency = std::max(out.latency, link.rate.latency);
  }
  out.latency = out.latency * 2;  // up to the switch and down
  return out;
}

std::vector<Seconds> shortest_durations(Machine const& machine, std::size_t kernels) {
  std::vector<Seconds> out;
  out.reserve(machine.types.size() * kernels);
  for (Machine::Type const& type : machine.types)
    for (std::size_t k = 0; k < kernels; ++k) {
      double const seconds = type.shortest_duration(k);
      out.push_back(Seconds{std::isinf(seconds) ? 0 : seconds});
    }
  return out;
}

Seconds most_work_per_worker(std::span<Seconds const> work, Machine const& machine) {
  Seconds largest{0};
  for (std::size_t n = 0; n < work.size(); ++n)
    largest = std::max(largest, work[n] / static_cast<double>(machine.type(NodeId{n}).workers.size()));
  return largest;
}

Seconds expected_makespan(MakespanParts const& parts, Machine const& machine, Topology const& topology,
                          RuntimeOptions const& options) {
  auto const nodes = static_cast<double>(machine.node_count());
  Seconds const expected =
      std::max({parts.work, parts.slow_chain(), options.submission_cost * static_cast<double>(parts.tasks),
                parts.data / slowest_rate(topology).bandwidth / nodes});
  Seconds const certain =
      std::max(parts.work, options.submission_cost * static_cast<double>(parts.most_tasks));
  if (expected <= certain * most_above_bounds) return expected;
  return std::min(expected, std::max(certain, parts.chain()) * most_above_bounds);
}

Seconds expected_makespan(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                          Topology const& topology, RuntimeOptions const& options) {
  std::vector<Seconds> const durations = shortest_durations(graph, plan, machine);
  LinkRate const slowest = slowest_rate(topology);
  auto const sent_from = [&](TaskId from, TaskId to, auto const& time) {
    NodeId const a = plan.node_of(from);
    if (plan.runs_on(to, a)) return Seconds{0};
    HandleId const given = graph.given_to(from, to);
    return time(a, given.valid() ? graph.handles[given.index()].size : Bytes{0});
  };
  auto const slowly = [&](TaskId from, TaskId to) {
    return sent_from(from, to,
                     [&](NodeId, Bytes size) { return slowest.latency + size / slowest.bandwidth; });
  };
  auto const alone = [&](TaskId from, TaskId to) {
    return sent_from(from, to,
                     [&](NodeId a, Bytes size) { return topology.least_time(a, plan.node_of(to), size); });
  };
  auto const chain = [&](EdgeTime const& message_time) {
    return longest_chain(graph, durations, machine.node_count() > 1 ? message_time : EdgeTime());
  };
  MakespanParts parts{.work = most_work_per_worker(work_by_node(durations, plan), machine),
                      .tasks = graph.task_count(),
                      .data = {},
                      .slow_chain = [&] { return chain(slowly); },
                      .chain = [&] { return chain(alone); }};
  for (std::uint32_t n = 0; n < machine.node_count(); ++n)
    parts.most_tasks = std::max<std::uint64_t>(parts.most_tasks, plan.first_task[n + 1] - plan.first_task[n]);
  for (HandleInfo const& handle : graph.handles) parts.data += handle.size;
  return expected_makespan(parts, machine, topology, options);
}

}  // namespace factosim
