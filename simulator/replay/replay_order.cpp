#include "simulator/replay/replay_order.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "factosim/error.hpp"

namespace factosim {

namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // (before, after)

std::vector<Edge> recorded_edges(Trace const& trace) {
  std::vector<Edge> edges;
  edges.reserve(trace.predecessors.size());
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    for (TaskId const before : trace.predecessors_of(TaskId{t})) edges.emplace_back(before.value(), t);
  return edges;
}

bool reads_handle(Trace const& trace, std::uint32_t task, HandleId handle) {
  auto const accesses = trace.accesses_of(TaskId{task});
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](DataAccess const& a) { return a.handle() == handle && reads(a.mode()); });
}

/// Returns the pairs (reader on another node, task that overwrites the data read). They are no dependencies
/// of the run, since each node has its own copy, but they order the versions.
std::vector<Edge> overwriting_edges(Trace const& trace, std::vector<NodeId> const& node) {
  std::vector<Edge> out;
  if (trace.predecessor_begin.empty() || trace.access_begin.empty()) return out;
  std::vector<std::vector<std::uint32_t>> writers(trace.handles.size());  // in the order of submission
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    for (DataAccess const& access : trace.accesses_of(TaskId{t}))
      if (writes(access.mode())) writers[access.handle().index()].push_back(t);
  // Returns the first task on the node of `task` that writes the handle after it.
  auto const next_writer = [&](std::uint32_t task, HandleId handle) {
    auto const& list = writers[handle.index()];
    auto const later = std::upper_bound(list.begin(), list.end(), task);
    return std::find_if(later, list.end(), [&](std::uint32_t other) { return node[other] == node[task]; });
  };
  for (auto const& [before, t] : recorded_edges(trace)) {
    if (node[before] == node[t]) continue;
    for (DataAccess const& access : trace.accesses_of(TaskId{before})) {
      if (!writes(access.mode()) || !reads_handle(trace, t, access.handle())) continue;
      auto const next = next_writer(before, access.handle());
      if (next != writers[access.handle().index()].end() && *next != t) out.emplace_back(t, *next);
    }
  }
  return out;
}

/// The first task in the order of the trace among those that wait for nobody, time after time; shorter than
/// the trace where there is a circle.
std::vector<std::uint32_t> topological_order(std::size_t tasks, std::vector<Edge> edges) {
  std::sort(edges.begin(), edges.end());
  std::vector<std::uint32_t> begin(tasks + 1, 0), missing(tasks, 0);
  for (auto const& [before, after] : edges) {
    ++begin[before + 1];
    ++missing[after];
  }
  for (std::size_t t = 0; t < tasks; ++t) begin[t + 1] += begin[t];
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
  for (std::uint32_t t = 0; t < tasks; ++t)
    if (missing[t] == 0) free.push(t);
  std::vector<std::uint32_t> order;
  order.reserve(tasks);
  while (!free.empty()) {
    std::uint32_t const t = free.top();
    free.pop();
    order.push_back(t);
    for (std::uint32_t e = begin[t]; e < begin[t + 1]; ++e)
      if (--missing[edges[e].second] == 0) free.push(edges[e].second);
  }
  return order;
}

}  // namespace

std::vector<NodeId> nodes_of_tasks(Trace const& trace) {
  std::vector<NodeId> node;
  node.reserve(trace.task_count());
  for (WorkerId const w : trace.worker) node.push_back(w.valid() ? trace.workers[w.index()].node : NodeId{0});
  return node;
}

std::vector<std::uint32_t> replay_order(Trace const& trace, std::vector<NodeId> const& node) {
  std::vector<Edge> const recorded = recorded_edges(trace);
  std::vector<Edge> edges = recorded;
  std::vector<Edge> const overwriting = overwriting_edges(trace, node);
  edges.insert(edges.end(), overwriting.begin(), overwriting.end());
  std::vector<std::uint32_t> order = topological_order(trace.task_count(), std::move(edges));
  // The clocks of the nodes contradict the versions: order their readers by the dates alone.
  if (order.size() < trace.task_count() && !overwriting.empty())
    order = topological_order(trace.task_count(), recorded);
  FACTOSIM_ENSURE(order.size() == trace.task_count(), "a trace was read whose tasks wait for each other");
  return order;
}

}  // namespace factosim
