#include "simulator/tasks/bounds/task_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/tasks/bounds/message_times.hpp"
#include "simulator/tasks/graph/critical_path.hpp"

namespace factosim {

namespace {

/// Walks over the graph in both directions.
class ChainWalk {
 public:
  ChainWalk(TaskGraph const& graph, ExecutionPlan const& plan, ShortestDurations const& shortest,
            Topology const& topology, TimeGrid const& grid)
      : graph_(graph),
        shortest_(shortest),
        message_time_(topology, grid),
        node_of_(graph.task_count()),
        order_(ordered_tasks(graph)) {
    for (std::uint32_t n = 0; n + 1 < plan.first_task.size(); ++n)
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
  [[nodiscard]] double own(TaskId t) const { return shortest_.on_node(t, NodeId{node_of_[t.index()]}); }
  [[nodiscard]] double of_any(TaskId t) const { return shortest_.of_any(t); }

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
      if (there != receiver || (there != home && one_output_ != task)) {
        receiver = there;
        message = there == home ? 0 : message_time_(home, there, sent_size(task, next));
      }
      use(next, message);
    }
  }

  /// Returns the size of what the task sends to a successor. Notes whether it is the same for all successors.
  [[nodiscard]] Bytes sent_size(TaskId task, TaskId successor) {
    HandleId const given = graph_.given_to(task, successor);
    std::size_t outputs = 0;
    for (DataAccess const access : graph_.accesses_of(task)) outputs += writes(access.mode()) ? 1 : 0;
    if (outputs <= 1) one_output_ = task;
    return given.valid() ? graph_.handles[given.index()].size : Bytes{0};
  }

  TaskGraph const& graph_;
  ShortestDurations const& shortest_;
  MessageTimes message_time_;
  std::vector<std::uint32_t> node_of_;  // [tasks]
  std::vector<TaskId> order_;
  TaskId one_output_{};  // the last task that was found to write one handle
  TaskChains out_;
};

}  // namespace

ShortestDurations::ShortestDurations(TaskGraph const& graph, Machine const& machine, TimeGrid const& grid)
    : graph_(graph),
      machine_(machine),
      of_any_(graph.weights.empty() ? graph.kernels.size() : graph.task_count()) {
  std::vector<bool> in_use(machine.types.size(), false);
  for (std::uint32_t const type : machine.type_of) in_use[type] = true;
  std::ranges::fill(of_any_, std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < machine.types.size(); ++t)
    for (std::size_t i = 0; i < of_any_.size(); ++i) {
      double const seconds = graph.weights.empty()
                                 ? machine.types[t].shortest_duration(i)
                                 : machine.types[t].shortest_duration(graph.kernel[i], graph.weights[i]);
      of_type_.push_back(std::isinf(seconds) ? seconds : grid.ticks(Seconds{seconds}));
      if (in_use[t]) of_any_[i] = std::min(of_any_[i], of_type_.back());
    }
}

TaskChains task_chains(TaskGraph const& graph, ExecutionPlan const& plan, ShortestDurations const& shortest,
                       Topology const& topology, TimeGrid const& grid) {
  return ChainWalk(graph, plan, shortest, topology, grid).chains();
}

}  // namespace factosim
