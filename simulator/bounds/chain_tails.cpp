#include "simulator/bounds/chain_tails.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "simulator/engine/constant_network.hpp"
#include "simulator/graph/critical_path.hpp"

namespace factosim {

namespace {

/// Shortest durations of each kernel, in ticks, on the fastest worker, where contention slows it down least.
class ShortestDurations {
 public:
  ShortestDurations(Machine const& machine, std::size_t kernels)
      : of_any_(kernels, std::numeric_limits<double>::infinity()) {
    std::vector<bool> in_use(machine.types.size(), false);
    for (std::uint32_t const type : machine.type_of) in_use[type] = true;
    for (std::size_t t = 0; t < machine.types.size(); ++t)
      for (std::size_t k = 0; k < kernels; ++k) {
        of_type_.push_back(machine.types[t].shortest_duration(k));
        if (in_use[t]) of_any_[k] = std::min(of_any_[k], of_type_.back());
      }
  }

  [[nodiscard]] double of_any(std::size_t kernel) const { return of_any_[kernel]; }
  [[nodiscard]] double of_type(std::uint32_t type, std::size_t kernel) const {
    return of_type_[type * of_any_.size() + kernel];
  }

 private:
  std::vector<double> of_any_;   // [kernels] of all nodes
  std::vector<double> of_type_;  // [types][kernels]
};

/// A message may end before its time by the tolerance within which ends of transfers are simultaneous, and by the
/// rounding of SimGrid's clock.
constexpr double early_ticks = Network::tie_ticks + 6;

/// Least times of messages on idle routes, in ticks, remembered by sender, receiver and size.
class MessageTimes {
 public:
  MessageTimes(Topology const& topology, TimeGrid const& grid) : topology_(topology), grid_(grid) {}

  double operator()(NodeId from, NodeId to, Bytes size) {
    auto const [place, is_new] = known_.try_emplace({from.value(), to.value(), size.value}, 0);
    if (is_new)
      place->second = std::max(
          0.0, grid_.ticks(unshared_time(topology_, topology_.ram_of(from), topology_.ram_of(to), size)) -
                   early_ticks);
    return place->second;
  }

 private:
  Topology const& topology_;
  TimeGrid const& grid_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, double> known_;
};

}  // namespace

ChainTails chain_tails(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                       Topology const& topology, TimeGrid const& grid) {
  ShortestDurations const shortest(machine, graph.kernels.size());
  MessageTimes message_time(topology, grid);
  std::vector<std::uint32_t> node_of(graph.task_count());
  for (std::uint32_t n = 0; n < machine.node_count(); ++n)
    std::fill(node_of.begin() + plan.first_task[n], node_of.begin() + plan.first_task[n + 1], n);

  ChainTails out{std::vector<ChainTail>(graph.task_count()), {}};
  std::vector<TaskId> const order = ordered_tasks(graph);
  // From the start of a task to the end of the longest chain that begins with it.
  auto const from_start = [&](TaskId t) {
    ChainTail const& tail = out.of_task[t.index()];
    double const own = shortest.of_type(machine.type_of[node_of[t.index()]], graph.kernel[t.index()]);
    return ChainTail{tail.fastest + shortest.of_any(graph.kernel[t.index()]), tail.own + own,
                     tail.with_messages + own};
  };
  auto const extend = [](ChainTail& longest, ChainTail const& other, double message) {
    longest.fastest = std::max(longest.fastest, other.fastest);
    longest.own = std::max(longest.own, other.own);
    longest.with_messages = std::max(longest.with_messages, other.with_messages + message);
  };
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    ChainTail tail;
    NodeId const home{node_of[task->index()]};
    NodeId receiver = home;
    double message = 0;  // to the receiver; successors on one node are adjacent
    for (TaskId const next : graph.successors_of(*task)) {
      NodeId const there{node_of[next.index()]};
      if (there != receiver) {
        receiver = there;
        message = there == home
                      ? 0
                      : message_time(home, there, graph.handles[graph.written_by(*task).index()].size);
      }
      extend(tail, from_start(next), message);
    }
    out.of_task[task->index()] = tail;
    extend(out.longest, from_start(*task), 0);
  }
  return out;
}

}  // namespace factosim
