#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/core/id.hpp"
#include "simulator/graph/task_graph.hpp"

namespace factosim {

/// A task graph laid out on nodes by "owner computes": a task runs on the node that owns what it writes, by
/// the distribution of its phase.
///
/// A *replica* is one handle on one node. The node that writes a handle keeps one replica of it; what a node
/// receives is one more replica for each version of the handle, and for each time it is sent anew after the
/// cache was flushed. So nothing that arrives has to wait for readers of what was there before.
struct ExecutionPlan {
  std::vector<NodeId> node_of_task;              // [tasks]
  std::vector<std::uint32_t> replica_of_access;  // [accesses] parallel to TaskGraph::accesses
  std::vector<HandleId> replica_handle;          // [replicas]
  std::vector<NodeId> replica_node;              // [replicas]
  std::vector<std::uint32_t> replica_local;      // [replicas] numbered within the node
  /// [replicas] accesses of that node's tasks, and, unless the replica is owned, the messages sent from it.
  std::vector<std::uint32_t> replica_uses;
  std::vector<std::uint32_t> replicas_of_node;  // [nodes] how many
  std::vector<bool>
      replica_owned;  // [replicas] it holds the last version, at the node that wrote it: it stays
  std::vector<bool> replica_initial;  // [replicas] it is there from the start

  [[nodiscard]] std::size_t replica_count() const { return replica_handle.size(); }
  [[nodiscard]] std::span<std::uint32_t const> replicas_of(TaskGraph const& graph, TaskId t) const {
    return {replica_of_access.data() + graph.access_begin[t.index()],
            replica_of_access.data() + graph.access_begin[t.index() + 1]};
  }
};

/// Which node owns each handle, in each of the distributions that phases refer to: [placements][handles].
using OwnersByPlacement = std::vector<std::vector<NodeId>>;

/// Places the graph. Reorders the successors of each task: those on its own node first, then node after node,
/// in submission order within each, so that one message serves one run of successors that read one replica.
/// Nodes only wait for each other's data: what a task on another node has read may be written here at any
/// time, since both have memory of their own; such edges go, and where that parts a task from the writer
/// whose data it updates, an edge between these two comes. O(tasks + accesses + edges log degree).
ExecutionPlan plan_execution(TaskGraph& graph, OwnersByPlacement const& owners, std::size_t node_count);
/// The same with one distribution.
ExecutionPlan plan_execution(TaskGraph& graph, std::span<NodeId const> owner, std::size_t node_count);

/// The same for tasks whose nodes are given: [tasks]; `owner` is where handles are at the start.
ExecutionPlan plan_recorded_execution(TaskGraph& graph, std::span<NodeId const> owner,
                                      std::span<NodeId const> node_of_task, std::size_t node_count);

/// The end of the run of successors, from `first` on, that one message to their node serves.
[[nodiscard]] std::uint32_t end_of_message(TaskGraph const& graph, ExecutionPlan const& plan, TaskId task,
                                           std::uint32_t first);

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
