#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/task_graph.hpp"

namespace factosim {

/// The data of one handle on one node. A node that writes a handle has one replica of it. A node that
/// receives it has one replica for each version, and for each time it is sent again after a cache flush: they
/// follow each other, since a node has one place for a tile.
struct Replica {
  HandleId handle;
  /// Accesses by tasks of that node, and, unless the replica is owned, messages sent from it.
  std::uint32_t uses : 29 = 0;
  bool owned : 1 = false;    // the last version, on the node that wrote it: it is permanent
  bool initial : 1 = false;  // present from the start
};

/// The node that owns each handle, by distribution of a phase: [placements][handles].
using OwnersByPlacement = std::vector<std::vector<NodeId>>;

/// The node of each task, and the replicas that its accesses use. By "owner computes", a task runs on the
/// owner of the first handle that it writes, in the distribution of its phase.
struct ExecutionPlan {
  std::vector<std::uint32_t> first_task;     // [nodes + 1] tasks are numbered by node
  std::vector<ReplicaId> replica_of_access;  // [accesses] parallel to TaskGraph::accesses
  std::vector<Replica> replicas;             // [replicas] by node
  std::vector<std::uint32_t> first_replica;  // [nodes + 1] into `replicas`

  [[nodiscard]] std::size_t replica_count() const { return replicas.size(); }
  [[nodiscard]] HandleId handle_of(ReplicaId replica) const { return replicas[replica.index()].handle; }
  [[nodiscard]] bool runs_on(TaskId t, NodeId node) const {
    return t.value() >= first_task[node.index()] && t.value() < first_task[node.index() + 1];
  }
  /// O(log nodes).
  [[nodiscard]] NodeId node_of(TaskId t) const { return range_of(first_task, t.value()); }
  [[nodiscard]] NodeId node_of_replica(ReplicaId replica) const {
    return range_of(first_replica, replica.value());
  }
  /// Returns the number of a replica among those of its node.
  [[nodiscard]] LocalReplica local(NodeId node, ReplicaId replica) const {
    return LocalReplica{replica.value() - first_replica[node.index()]};
  }
  /// Returns the replicas of a node, by their local numbers.
  [[nodiscard]] std::span<Replica const> replicas_on(NodeId node) const {
    return {replicas.data() + first_replica[node.index()], replicas.data() + first_replica[node.index() + 1]};
  }
  /// Returns the replica of the same handle that the node used before this one; an invalid id without one.
  [[nodiscard]] LocalReplica copy_before(NodeId node, LocalReplica replica) const {
    auto const all = replicas_on(node);
    std::size_t const r = replica.index();
    bool const has_one = r > 0 && r < all.size() && all[r - 1].handle == all[r].handle;
    return has_one ? LocalReplica{r - 1} : LocalReplica{};
  }
  /// Returns the replicas that the task accesses: [accesses of the task].
  [[nodiscard]] std::span<ReplicaId const> replicas_of(TaskGraph const& graph, TaskId t) const {
    return {replica_of_access.data() + graph.access_begin[t.index()],
            replica_of_access.data() + graph.access_end_of(t)};
  }
  /// Returns the replica of a handle that the task accesses.
  [[nodiscard]] ReplicaId replica_of(TaskGraph const& graph, TaskId t, HandleId handle) const {
    auto const accesses = graph.accesses_of(t);
    std::size_t i = 0;
    while (accesses[i].handle() != handle) ++i;
    return replicas_of(graph, t)[i];
  }

 private:
  [[nodiscard]] static NodeId range_of(std::vector<std::uint32_t> const& first, std::uint32_t number) {
    return NodeId{std::upper_bound(first.begin(), first.end(), number) - first.begin() - 1};
  }
};

/// Returns the end of the run of successors, from `first` on, that one message to their node serves.
[[nodiscard]] std::uint32_t end_of_message(TaskGraph const& graph, ExecutionPlan const& plan, TaskId task,
                                           std::uint32_t first);

/// Calls `use(access)` for each access of the task that writes a handle which a successor on another node
/// reads; `access` is an index into the task's accesses.
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

/// Calls `use(first, last)` with the run of successors of each message with output of the task.
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

/// Returns the node that keeps the last version of each handle, [handles]; none if no node keeps it.
[[nodiscard]] std::vector<NodeId> last_owners(TaskGraph const& graph, ExecutionPlan const& plan);

/// Calls `use(task, first)` with the producer and the first successor of each message of the plan.
template <class Use>
void for_all_messages(TaskGraph const& graph, ExecutionPlan const& plan, Use const& use) {
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for_each_message(graph, plan, TaskId{t},
                     [&](std::uint32_t first, std::uint32_t) { use(TaskId{t}, first); });
}

/// Number of messages between two phases, or within one.
struct MessageCount {
  std::size_t from = 0, to = 0;  // phases of the producer and of the first reader
  DataKind data = DataKind::tile;
  std::uint64_t messages = 0;
  Bytes bytes;
};

/// Returns the number of messages that the plan implies, by phases and kind of data.
[[nodiscard]] std::vector<MessageCount> count_messages_by_phase(TaskGraph const& graph,
                                                                ExecutionPlan const& plan);
/// Returns the number of messages that the plan implies.
[[nodiscard]] std::uint64_t count_messages(TaskGraph const& graph, ExecutionPlan const& plan);

}  // namespace factosim
