#include "simulator/scenario/replay/replay_order.hpp"

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/topological_order.hpp"
#include "simulator/tasks/graph/transpose.hpp"

namespace factosim {

namespace {

std::vector<TaskEdge> recorded_edges(Trace const& trace) {
  std::vector<TaskEdge> edges;
  edges.reserve(trace.predecessors.size());
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    for (TaskId const before : trace.predecessors_of(TaskId{t})) edges.push_back({before, TaskId{t}});
  return edges;
}

bool reads_handle(Trace const& trace, TaskId task, HandleId handle) {
  auto const accesses = trace.accesses_of(task);
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](DataAccess const& a) { return a.handle() == handle && reads(a.mode()); });
}

/// Returns edges from a reader on another node to the task that overwrites the version it read. These are no
/// dependencies of the run, in which each node has its own copy, but they order the versions.
std::vector<TaskEdge> overwriting_edges(Trace const& trace, std::vector<NodeId> const& node) {
  std::vector<TaskEdge> out;
  if (trace.predecessor_begin.empty() || trace.access_begin.empty()) return out;
  std::vector<std::vector<TaskId>> writers(trace.handles.size());  // in the order of submission
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    for (DataAccess const& access : trace.accesses_of(TaskId{t}))
      if (writes(access.mode())) writers[access.handle().index()].push_back(TaskId{t});
  // Returns the first task on the node of `task` that writes the handle after it.
  auto const next_writer = [&](TaskId task, HandleId handle) {
    auto const& list = writers[handle.index()];
    auto const later = std::upper_bound(list.begin(), list.end(), task);
    return std::find_if(later, list.end(),
                        [&](TaskId other) { return node[other.index()] == node[task.index()]; });
  };
  for (auto const& [before, task] : recorded_edges(trace)) {
    if (node[before.index()] == node[task.index()]) continue;
    for (DataAccess const& access : trace.accesses_of(before)) {
      if (!writes(access.mode()) || !reads_handle(trace, task, access.handle())) continue;
      auto const next = next_writer(before, access.handle());
      if (next != writers[access.handle().index()].end() && *next != task) out.push_back({task, *next});
    }
  }
  return out;
}

/// Returns the tasks of the trace ordered by the edges. Shorter than the trace if there is a cycle.
std::vector<TaskId> ordered(Trace const& trace, std::vector<TaskEdge> const& edges) {
  TaskRows const successors = rows_of(trace.task_count(), edges);
  return topological_order(successors.begin, successors.items).tasks;
}

}  // namespace

std::vector<NodeId> nodes_of_tasks(Trace const& trace) {
  std::vector<NodeId> node;
  node.reserve(trace.task_count());
  for (WorkerId const w : trace.worker) node.push_back(w.valid() ? trace.workers[w.index()].node : NodeId{0});
  return node;
}

std::vector<std::uint32_t> replay_order(Trace const& trace, std::vector<NodeId> const& node) {
  std::vector<TaskEdge> const recorded = recorded_edges(trace);
  std::vector<TaskEdge> edges = recorded;
  std::vector<TaskEdge> const overwriting = overwriting_edges(trace, node);
  edges.insert(edges.end(), overwriting.begin(), overwriting.end());
  std::vector<TaskId> order = ordered(trace, edges);
  // Unsynchronized clocks may order versions impossibly: then readers are ordered by dependencies alone.
  if (order.size() < trace.task_count() && !overwriting.empty()) order = ordered(trace, recorded);
  FACTOSIM_ENSURE(order.size() == trace.task_count(), "a trace was read whose tasks wait for each other");
  std::vector<std::uint32_t> out;
  out.reserve(order.size());
  for (TaskId const task : order) out.push_back(task.value());
  return out;
}

}  // namespace factosim
