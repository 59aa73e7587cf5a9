#include "simulator/tasks/bounds/placed_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simulator/tasks/bounds/flow_chains.hpp"
#include "simulator/tasks/bounds/graph_chains.hpp"

namespace factosim {

namespace {

/// What is expected is at most this times a bound of the makespan, so that a slow link that carries little cannot make
/// ticks longer than kernels: a tick is then at most 2^-41 of the makespan.
constexpr double most_above_bounds = 16;

/// Durations on the fastest worker of a task's node where contention slows it down least. 0 where none can run it.
class LeastDurations {
 public:
  LeastDurations(Machine const& machine, std::size_t kernels) : machine_(machine), kernels_(kernels) {
    for (Machine::Type const& type : machine.types)
      for (std::size_t k = 0; k < kernels; ++k) by_type_.push_back(finite(type.shortest_duration(k)));
  }

  [[nodiscard]] Seconds operator()(PlacedTask const& task) const {
    if (task.weight != nullptr)
      return finite(machine_.type(task.node).shortest_duration(task.kernel, *task.weight));
    return by_type_[machine_.type_of[task.node.index()] * kernels_ + task.kernel];
  }

 private:
  static Seconds finite(double seconds) { return Seconds{std::isinf(seconds) ? 0 : seconds}; }

  Machine const& machine_;
  std::size_t kernels_;
  std::vector<Seconds> by_type_;  // [types][kernels]
};

/// Least durations, and times of messages by `MessageTime(from, to, size)`: for FlowChains and GraphChains.
template <class MessageTime>
struct ExpectedTimes {
  using Value = Seconds;

  LeastDurations const& duration;
  MessageTime message_time;

  static void extend(Seconds& longest, Seconds other) { longest = std::max(longest, other); }
  [[nodiscard]] Seconds end(Seconds start, PlacedTask const& task) const { return start + duration(task); }
  [[nodiscard]] Seconds arrival(Seconds end, NodeId from, NodeId to, Bytes size) const {
    return end + message_time(from, to, size);
  }
};
template <class MessageTime>
ExpectedTimes(LeastDurations const&, MessageTime) -> ExpectedTimes<MessageTime>;

/// The tasks so far.
struct Totals {
  PlacedWork work;
  std::vector<Seconds> busy;  // [nodes] work, one task after the other
  Bytes data;                 // of all handles
  Seconds longest_chain;

  Totals(std::size_t nodes, std::size_t kernels) : busy(nodes) {
    work.tasks_by_node.assign(nodes, std::vector<std::uint64_t>(kernels, 0));
    work.owned.resize(nodes);
  }
  void add(PlacedTask const& task, Seconds duration) {
    ++work.tasks_by_node[task.node.index()][task.kernel];
    busy[task.node.index()] += duration;
  }
};

template <class Times>
class WorkReader : public FlowReader {
 public:
  WorkReader(Totals totals, LeastDurations const& duration, Times times)
      : totals_(std::move(totals)), duration_(duration), chains_(std::move(times)) {}

  void add_kernel(Kernel const& kernel) { totals_.work.kernels.push_back(kernel); }
  void add_handle(HandleInfo const& handle, NodeId owner) {
    chains_.add_handle(handle);
    owners_.push_back(owner);
    sizes_.push_back(handle.size);
    totals_.data += handle.size;
  }
  void task(PlacedTask const& task) {
    totals_.add(task, duration_(task));
    chains_.task(task);
  }
  void last_write(HandleId handle) { chains_.last_write(handle); }
  void last_use(HandleId handle) { chains_.last_use(handle); }

  Totals totals() && {
    for (std::size_t h = 0; h < owners_.size(); ++h) {
      NodeId const writer = chains_.writer(h);
      if (NodeId const keeper = writer.valid() ? writer : owners_[h]; keeper.valid())
        totals_.work.owned[keeper.index()] += sizes_[h];
    }
    totals_.longest_chain = chains_.longest();
    return std::move(totals_);
  }

 private:
  Totals totals_;
  LeastDurations const& duration_;
  FlowChains<Times> chains_;
  std::vector<NodeId> owners_;  // [handles]
  std::vector<Bytes> sizes_;    // [handles]
};

/// Returns the slowest link and the longest latency of a route over several links.
LinkRate slowest_rate(Topology const& topology) {
  LinkRate out{BytesPerSecond{std::numeric_limits<double>::infinity()}, Seconds{0}};
  for (LinkSpec const& link : topology.links()) {
    out.bandwidth = std::min(out.bandwidth, link.rate.bandwidth);
    out.latency = std::max(out.latency, link.rate.latency);
  }
  out.latency = out.latency * 2;  // up to the switch and down
  return out;
}

/// `read(message_time)` returns the totals of all tasks, with the longest chain of them and of such messages.
template <class Read>
PlacedWork placed_work(Read const& read, Machine const& machine, Topology const& topology,
                       RuntimeOptions const& options) {
  LinkRate const slowest = slowest_rate(topology);
  Totals totals =
      read([&](NodeId, NodeId, Bytes size) { return slowest.latency + size / slowest.bandwidth; });
  PlacedWork& out = totals.work;
  Seconds work;  // per worker of a node, of the node with the most
  for (std::size_t n = 0; n < totals.busy.size(); ++n) {
    auto const& of_node = out.tasks_by_node[n];
    std::uint64_t const tasks = std::accumulate(of_node.begin(), of_node.end(), std::uint64_t{0});
    out.tasks += tasks;
    out.most_tasks = std::max(out.most_tasks, tasks);
    work = std::max(work, totals.busy[n] / static_cast<double>(machine.type(NodeId{n}).workers.size()));
  }
  out.expected =
      std::max({work, totals.longest_chain, options.submission_cost * static_cast<double>(out.tasks),
                totals.data / slowest.bandwidth / static_cast<double>(machine.node_count())});
  Seconds const certain = std::max(work, options.submission_cost * static_cast<double>(out.most_tasks));
  if (out.expected <= certain * most_above_bounds) return std::move(out);
  Seconds const chain = read([&](NodeId from, NodeId to, Bytes size) {
                          return topology.least_time(from, to, size);
                        }).longest_chain;
  out.expected = std::min(out.expected, std::max(certain, chain) * most_above_bounds);
  return std::move(out);
}

}  // namespace

PlacedWork placed_work(PlacedFlow& placed, Machine const& machine, Topology const& topology,
                       RuntimeOptions const& options) {
  Machine::Type const& type = machine.types.front();
  std::size_t const kernels = type.durations.size() / type.workers.size();
  LeastDurations const duration(machine, kernels);
  auto const read = [&](auto const& message_time) {
    WorkReader reader(Totals(machine.node_count(), kernels), duration, ExpectedTimes{duration, message_time});
    placed.read(reader);
    return std::move(reader).totals();
  };
  PlacedWork out = placed_work(read, machine, topology, options);
  out.phases = placed.phases();
  return out;
}

PlacedWork placed_work(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                       Topology const& topology, RuntimeOptions const& options) {
  GraphTasks const tasks(graph, plan);
  LeastDurations const duration(machine, graph.kernels.size());
  auto const read = [&](auto const& message_time) {
    Totals out(machine.node_count(), graph.kernels.size());
    for (std::uint32_t t = 0; t < tasks.count(); ++t) out.add(tasks[TaskId{t}], duration(tasks[TaskId{t}]));
    for (HandleInfo const& handle : graph.handles) out.data += handle.size;
    out.longest_chain = GraphChains(tasks, ExpectedTimes{duration, message_time}).longest();
    return out;
  };
  PlacedWork out = placed_work(read, machine, topology, options);
  out.kernels = graph.kernels;
  out.phases = graph.phases;
  for (std::uint32_t n = 0; n < out.owned.size(); ++n)
    for (Replica const& r : plan.replicas_on(NodeId{n}))
      if (r.owned) out.owned[n] += graph.handles[r.handle.index()].size;
  return out;
}

}  // namespace factosim
