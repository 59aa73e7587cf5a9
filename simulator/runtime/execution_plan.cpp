#include "simulator/runtime/execution_plan.hpp"

#include <algorithm>
#include <utility>

#include "simulator/core/error.hpp"

namespace factosim {

namespace {

void place_tasks(TaskGraph const& graph, std::span<NodeId const> owner, ExecutionPlan& plan) {
  plan.node_of_task.resize(graph.task_count());
  for (std::size_t t = 0; t < graph.task_count(); ++t) {
    HandleId const written = graph.written_by(TaskId{t});
    FACTOSIM_ALWAYS(written.valid(), "a task writes nothing, so no node owns it");
    plan.node_of_task[t] = owner[written.index()];
    FACTOSIM_ALWAYS(plan.node_of_task[t].valid(), "a task writes a tile that no node owns");
  }
}

/// Accesses grouped by handle: positions into TaskGraph::accesses.
struct AccessesByHandle {
  std::vector<std::uint32_t> begin;   // [handles + 1]
  std::vector<std::uint32_t> access;  // [accesses]
};

AccessesByHandle group_by_handle(TaskGraph const& graph) {
  AccessesByHandle out;
  out.begin.assign(graph.handles.size() + 1, 0);
  for (DataAccess const& a : graph.accesses) ++out.begin[a.handle().index() + 1];
  for (std::size_t h = 0; h < graph.handles.size(); ++h) out.begin[h + 1] += out.begin[h];
  out.access.resize(graph.accesses.size());
  std::vector<std::uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t a = 0; a < graph.accesses.size(); ++a)
    out.access[next[graph.accesses[a].handle().index()]++] = static_cast<std::uint32_t>(a);
  return out;
}

void number_replicas(TaskGraph const& graph, std::span<NodeId const> owner, ExecutionPlan& plan,
                     std::size_t node_count) {
  std::vector<NodeId> node_of_access(graph.accesses.size());
  for (std::size_t t = 0; t < graph.task_count(); ++t)
    std::fill(node_of_access.begin() + graph.access_begin[t],
              node_of_access.begin() + graph.access_begin[t + 1], plan.node_of_task[t]);

  plan.replica_of_access.resize(graph.accesses.size());
  plan.replicas_of_node.assign(node_count, 0);
  AccessesByHandle const by_handle = group_by_handle(graph);
  // The replica that a node got for the handle at hand; older entries are below `first`.
  std::vector<std::uint32_t> replica_on(node_count, 0);
  std::vector<std::uint32_t> handle_on(node_count, HandleId::none);
  auto replica = [&](std::uint32_t handle, NodeId node) {
    if (handle_on[node.index()] != handle) {
      handle_on[node.index()] = handle;
      replica_on[node.index()] = static_cast<std::uint32_t>(plan.replica_count());
      plan.replica_handle.emplace_back(handle);
      plan.replica_node.push_back(node);
      plan.replica_local.push_back(plan.replicas_of_node[node.index()]++);
      plan.replica_uses.push_back(0);
      plan.replica_owned.push_back(owner[handle] == node);
    }
    return replica_on[node.index()];
  };
  for (std::uint32_t h = 0; h < graph.handles.size(); ++h) {
    if (owner[h].valid()) replica(h, owner[h]);
    for (std::uint32_t i = by_handle.begin[h]; i < by_handle.begin[h + 1]; ++i) {
      std::uint32_t const r = replica(h, node_of_access[by_handle.access[i]]);
      plan.replica_of_access[by_handle.access[i]] = r;
      ++plan.replica_uses[r];
    }
  }
}

/// A message carries what its task wrote: an edge between nodes must be such a flow of data.
bool reads_from(TaskGraph const& graph, TaskId reader, HandleId handle) {
  for (DataAccess const& access : graph.accesses_of(reader))
    if (access.handle() == handle && reads(access.mode())) return true;
  return false;
}

void group_successors(TaskGraph& graph, ExecutionPlan const& plan) {
  for (std::size_t t = 0; t < graph.task_count(); ++t) {
    NodeId const home = plan.node_of_task[t];
    auto rank = [&](TaskId s) {  // own node first, then by number
      NodeId const node = plan.node_of_task[s.index()];
      return node == home ? 0U : node.value() + 1;
    };
    std::sort(graph.successors.begin() + graph.successor_begin[t],
              graph.successors.begin() + graph.successor_begin[t + 1],
              [&](TaskId a, TaskId b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
    for (TaskId const s : graph.successors_of(TaskId{t}))
      FACTOSIM_ALWAYS(rank(s) == 0 || reads_from(graph, s, graph.written_by(TaskId{t})),
                      "a task waits for another node without reading what was written there");
  }
}

}  // namespace

ExecutionPlan plan_execution(TaskGraph& graph, std::span<NodeId const> owner, std::size_t node_count) {
  FACTOSIM_EXPECT(owner.size() == graph.handles.size(), "every handle has an owner");
  ExecutionPlan plan;
  place_tasks(graph, owner, plan);
  number_replicas(graph, owner, plan, node_count);
  if (node_count > 1) group_successors(graph, plan);
  return plan;
}

std::uint64_t count_messages(TaskGraph const& graph, ExecutionPlan const& plan) {
  std::uint64_t messages = 0;
  for (std::size_t t = 0; t < graph.task_count(); ++t) {
    NodeId previous = plan.node_of_task[t];
    for (TaskId const s : graph.successors_of(TaskId{t})) {
      NodeId const node = plan.node_of_task[s.index()];
      bool const is_sent = node != previous || graph.flushes(s);
      messages += is_sent && node != plan.node_of_task[t] ? 1 : 0;
      previous = node;
    }
  }
  return messages;
}

}  // namespace factosim
