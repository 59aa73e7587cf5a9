#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// One handle on one node. The node that writes a handle keeps one replica of it; what a node receives is one
/// more replica for each version of the handle, and for each time it is sent anew after the cache was
/// flushed. So nothing that arrives has to wait for readers of what was there before.
struct Replica {
  HandleId handle;
  /// Accesses of that node's tasks, and, unless the replica is owned, the messages sent from it.
  std::uint32_t uses : 29 = 0;
  bool owned : 1 = false;    // it holds the last version, at the node that wrote it: it stays
  bool initial : 1 = false;  // it is there from the start
};

/// A task graph laid out on nodes by "owner computes": a task runs on the node that owns what it writes, by
/// the distribution of its phase.
struct ExecutionPlan {
  std::vector<std::uint32_t> first_task;         // [nodes + 1] tasks of a node stand together
  std::vector<std::uint32_t> replica_of_access;  // [accesses] parallel to TaskGraph::accesses
  std::vector<Replica> replicas;                 // [replicas] those of a node stand together
  std::vector<std::uint32_t> first_replica;      // [nodes + 1] into `replicas`

  [[nodiscard]] std::size_t replica_count() const { return replicas.size(); }
  [[nodiscard]] HandleId handle_of(std::uint32_t replica) const { return replicas[replica].handle; }
  [[nodiscard]] bool runs_on(TaskId t, NodeId node) const {
    return t.value() >= first_task[node.index()] && t.value() < first_task[node.index() + 1];
  }
  /// O(log nodes).
  [[nodiscard]] NodeId node_of(TaskId t) const { return range_of(first_task, t.value()); }
  [[nodiscard]] NodeId node_of_replica(std::uint32_t replica) const {
    return range_of(first_replica, replica);
  }
  /// The replicas of a node; the place of one in it is its local number.
  [[nodiscard]] std::span<Replica const> replicas_on(NodeId node) const {
    return {replicas.data() + first_replica[node.index()], replicas.data() + first_replica[node.index() + 1]};
  }
  [[nodiscard]] std::span<std::uint32_t const> replicas_of(TaskGraph const& graph, TaskId t) const {
    return {replica_of_access.data() + graph.access_begin[t.index()],
            replica_of_access.data() + graph.access_begin[t.index() + 1]};
  }

 private:
  [[nodiscard]] static NodeId range_of(std::vector<std::uint32_t> const& first, std::uint32_t number) {
    return NodeId{std::upper_bound(first.begin(), first.end(), number) - first.begin() - 1};
  }
};

/// Which node owns each handle, in each of the distributions that phases refer to: [placements][handles].
using OwnersByPlacement = std::vector<std::vector<NodeId>>;

/// The end of the run of successors, from `first` on, that one message to their node serves.
[[nodiscard]] std::uint32_t end_of_message(TaskGraph const& graph, ExecutionPlan const& plan, TaskId task,
                                           std::uint32_t first);

/// Calls `use(access)` with the place, in the task's accesses, of each handle that messages take from it to
/// other nodes: of those that it writes, at most.
template <class Use>
void for_each_output(TaskGraph const& graph, ExecutionPlan const& plan, TaskId task, Use const& use) {
  auto const accesses = graph.accesses_of(task);
  NodeId const home = plan.node_of(task);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!writes(accesses[i].mode())) continue;
    for (TaskId const successor : graph.successors_of(task))
      if (!plan.runs_on(successor, home) && graph.given_to(task, successor) == accesses[i].handle()) {
        use(i);
        break;
      }
  }
}

/// Calls `use(first, last)` with the run of successors of each message that the task's output makes.
template <class Use>
void for_each_message(TaskGraph const& graph, ExecutionPlan const& plan, TaskId task, Use const& use) {
  std::uint32_t const end = graph.successor_begin[task.index() + 1];
  std::uint32_t first = graph.successor_begin[task.index()];
  if (first == end) return;
  NodeId const home = plan.node_of(task);
  while (first < end && plan.runs_on(graph.successors[first], home)) ++first;
  while (first < end) {
    std::uint32_t const last = end_of_message(graph, plan, task, first);
    use(first, last);
    first = last;
  }
}

/// Calls `use(task, first successor)` for each message of all tasks.
template <class Use>
void for_all_messages(TaskGraph const& graph, ExecutionPlan const& plan, Use const& use) {
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for_each_message(graph, plan, TaskId{t},
                     [&](std::uint32_t first, std::uint32_t) { use(TaskId{t}, first); });
}

/// Returns the node that keeps the last version of each handle, [handles]; none if no node keeps it.
[[nodiscard]] std::vector<NodeId> last_owners(TaskGraph const& graph, ExecutionPlan const& plan);

/// Messages between two phases, or within one.
struct MessageCount {
  std::size_t from = 0, to = 0;  // phases: of the task that wrote, of the first one that reads
  DataKind data = DataKind::tile;
  std::uint64_t messages = 0;
  Bytes bytes;
};

/// Messages that the plan implies, by phase and kind of data: runs of successors elsewhere.
[[nodiscard]] std::vector<MessageCount> count_messages_by_phase(TaskGraph const& graph,
                                                                ExecutionPlan const& plan);
/// All of them.
[[nodiscard]] std::uint64_t count_messages(TaskGraph const& graph, ExecutionPlan const& plan);

}  // namespace factosim
