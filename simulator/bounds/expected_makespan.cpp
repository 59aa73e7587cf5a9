#include "simulator/bounds/expected_makespan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/engine/constant_network.hpp"
#include "simulator/graph/critical_path.hpp"

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
    for (std::uint32_t t = 0; t < graph.task_count(); ++t)
      durations.push_back(Seconds{
          machine.type(plan.node_of(TaskId{t})).shortest_duration(graph.kernel[t], graph.weights[t])});
    return durations;
  }
  std::vector<std::vector<Seconds>> by_type(machine.types.size());
  for (std::size_t t = 0; t < machine.types.size(); ++t)
    for (std::size_t k = 0; k < graph.kernels.size(); ++k)
      by_type[t].push_back(Seconds{machine.types[t].shortest_duration(k)});
  for (std::uint32_t n = 0; n < machine.node_count(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t)
      durations.push_back(by_type[machine.type_of[n]][graph.kernel[t]]);
  return durations;
}

/// The slowest link and the longest latency of a route over several links.
LinkRate slowest_rate(Topology const& topology) {
  LinkRate out{BytesPerSecond{std::numeric_limits<double>::infinity()}, Seconds{0}};
  for (LinkSpec const& link : topology.links()) {
    out.bandwidth = std::min(out.bandwidth, link.rate.bandwidth);
    out.latency = std::max(out.latency, link.rate.latency);
  }
  out.latency = out.latency * 2;  // up to the switch and down
  return out;
}

/// Returns the submission of the tasks of one node, whatever else it unrolls.
Seconds own_submission(ExecutionPlan const& plan, Machine const& machine, RuntimeOptions const& options) {
  std::uint32_t most = 0;
  for (std::uint32_t n = 0; n < machine.node_count(); ++n)
    most = std::max(most, plan.first_task[n + 1] - plan.first_task[n]);
  return options.submission_cost * static_cast<double>(most);
}

Seconds work_per_worker(std::vector<Seconds> const& durations, ExecutionPlan const& plan,
                        Machine const& machine) {
  Seconds largest{0};
  for (std::uint32_t n = 0; n < machine.node_count(); ++n) {
    Seconds work{0};
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t) work += durations[t];
    largest = std::max(largest, work / static_cast<double>(machine.type(NodeId{n}).workers.size()));
  }
  return largest;
}

}  // namespace

Seconds expected_makespan(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                          Topology const& topology, RuntimeOptions const& options) {
  std::vector<Seconds> durations = shortest_durations(graph, plan, machine);
  for (Seconds& d : durations)
    if (std::isinf(d.value)) d = Seconds{0};
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
    return sent_from(from, to, [&](NodeId a, Bytes size) {
      return unshared_time(topology, topology.ram_of(a), topology.ram_of(plan.node_of(to)), size);
    });
  };
  Bytes data;
  for (HandleInfo const& handle : graph.handles) data += handle.size;
  auto const nodes = static_cast<double>(machine.node_count());
  Seconds const work = work_per_worker(durations, plan, machine);
  auto const chain = [&](EdgeTime const& message_time) {
    return critical_path(graph, durations, nodes > 1 ? message_time : EdgeTime()).length;
  };
  Seconds const expected =
      std::max({work, chain(slowly), options.submission_cost * static_cast<double>(graph.task_count()),
                data / slowest.bandwidth / nodes});
  Seconds const certain = std::max(work, own_submission(plan, machine, options));
  if (expected <= certain * most_above_bounds) return expected;
  return std::min(expected, std::max(certain, chain(alone)) * most_above_bounds);
}

}  // namespace factosim
