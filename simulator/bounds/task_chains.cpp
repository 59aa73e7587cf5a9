#include "simulator/bounds/task_chains.hpp"

#include <algorithm>
#include <limits>

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

/// Least times of messages on idle routes, in ticks. Remembers some by sender, receiver and size.
class MessageTimes {
 public:
  MessageTimes(Topology const& topology, TimeGrid const& grid) : topology_(topology), grid_(grid) {}

  double operator()(NodeId from, NodeId to, Bytes size) {
    Known& known = known_[(std::size_t{from.value()} * 64 + to.value()) % known_.size()];
    if (known.from != from || known.to != to || known.size.value != size.value)
      known = {from, to, size,
               std::max(0.0, grid_.ticks(unshared_time(topology_, topology_.ram_of(from),
                                                       topology_.ram_of(to), size)) -
                                 early_ticks)};
    return known.ticks;
  }

 private:
  Topology const& topology_;
  TimeGrid const& grid_;
  struct Known {
    NodeId from{}, to{};
    Bytes size{};
    double ticks = 0;
  };
  std::vector<Known> known_ = std::vector<Known>(4096);
};

/// Walks over the graph in both directions.
class ChainWalk {
 public:
  ChainWalk(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
            Topology const& topology, TimeGrid const& grid)
      : graph_(graph),
        machine_(machine),
        shortest_(machine, graph.kernels.size()),
        message_time_(topology, grid),
        node_of_(graph.task_count()),
        order_(ordered_tasks(graph)) {
    for (std::uint32_t n = 0; n < machine.node_count(); ++n)
      std::fill(node_of_.begin() + plan.first_task[n], node_of_.begin() + plan.first_task[n + 1], n);
    out_.before.resize(graph.task_count());
    out_.after.resize(graph.task_count());
  }

  TaskChains chains() {
    for (auto task = order_.rbegin(); task != order_.rend(); ++task) {
      ChainTail tail;
      for_each_successor(*task,
                         [&](TaskId next, double message) { extend(tail, from_start(next), message); });
      out_.after[task->index()] = tail;
      extend(out_.longest, from_start(*task), 0);
    }
    for (TaskId const task : order_) {
      ChainHead const head = until_end(task);
      for_each_successor(task, [&](TaskId next, double message) {
        ChainHead& before = out_.before[next.index()];
        before.fastest = std::max(before.fastest, head.fastest);
        before.with_messages = std::max(before.with_messages, head.with_messages + message);
      });
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] double own(TaskId t) const {
    return shortest_.of_type(machine_.type_of[node_of_[t.index()]], graph_.kernel[t.index()]);
  }
  [[nodiscard]] double of_any(TaskId t) const { return shortest_.of_any(graph_.kernel[t.index()]); }

  /// From the start of a task to the end of the longest chain that begins with it.
  [[nodiscard]] ChainTail from_start(TaskId t) const {
    ChainTail const& tail = out_.after[t.index()];
    return {tail.fastest + of_any(t), tail.own + own(t), tail.with_messages + own(t)};
  }
  /// From the start of the longest chain that ends with a task.
  [[nodiscard]] ChainHead until_end(TaskId t) const {
    ChainHead const& head = out_.before[t.index()];
    return {head.fastest + of_any(t), head.with_messages + own(t)};
  }

  static void extend(ChainTail& longest, ChainTail const& other, double message) {
    longest.fastest = std::max(longest.fastest, other.fastest);
    longest.own = std::max(longest.own, other.own);
    longest.with_messages = std::max(longest.with_messages, other.with_messages + message);
  }

  /// Calls `use(successor, message)` with the least time of the message to the successor's node, in ticks.
  /// Successors on one node are adjacent.
  template <class Use>
  void for_each_successor(TaskId task, Use const& use) {
    NodeId const home{node_of_[task.index()]};
    NodeId receiver = home;
    double message = 0;
    for (TaskId const next : graph_.successors_of(task)) {
      NodeId const there{node_of_[next.index()]};
      if (there != receiver) {
        receiver = there;
        message = there == home
                      ? 0
                      : message_time_(home, there, graph_.handles[graph_.written_by(task).index()].size);
      }
      use(next, message);
    }
  }

  TaskGraph const& graph_;
  Machine const& machine_;
  ShortestDurations shortest_;
  MessageTimes message_time_;
  std::vector<std::uint32_t> node_of_;  // [tasks]
  std::vector<TaskId> order_;
  TaskChains out_;
};

}  // namespace

TaskChains task_chains(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                       Topology const& topology, TimeGrid const& grid) {
  return ChainWalk(graph, plan, machine, topology, grid).chains();
}

}  // namespace factosim
