#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/core/id.hpp"
#include "simulator/graph/task_graph.hpp"

namespace factosim {

/// A task graph laid out on nodes by "owner computes": a task runs on the node that owns what it writes.
/// A *replica* is one handle on one node, owned or received.
struct ExecutionPlan {
  std::vector<NodeId> node_of_task;              // [tasks]
  std::vector<std::uint32_t> replica_of_access;  // [accesses] parallel to TaskGraph::accesses
  std::vector<HandleId> replica_handle;          // [replicas]
  std::vector<NodeId> replica_node;              // [replicas]
  std::vector<std::uint32_t> replica_local;      // [replicas] numbered within the node
  std::vector<std::uint32_t> replica_uses;       // [replicas] tasks of that node that access it
  std::vector<std::uint32_t> replicas_of_node;   // [nodes] how many
  std::vector<bool> replica_owned;               // [replicas] the node owns the handle

  [[nodiscard]] std::size_t replica_count() const { return replica_handle.size(); }
  [[nodiscard]] std::span<std::uint32_t const> replicas_of(TaskGraph const& graph, TaskId t) const {
    return {replica_of_access.data() + graph.access_begin[t.index()],
            replica_of_access.data() + graph.access_begin[t.index() + 1]};
  }
};

/// Places the graph: `owner` gives the node of every handle. Reorders the successors of each task: those on
/// its own node first, then node after node, in submission order within each, so that one message serves one
/// run of successors. O(tasks + accesses + edges log degree).
ExecutionPlan plan_execution(TaskGraph& graph, std::span<NodeId const> owner, std::size_t node_count);

/// Messages that the plan implies: pairs of a task and another node that needs what it wrote.
std::uint64_t count_messages(TaskGraph const& graph, ExecutionPlan const& plan);

}  // namespace factosim
