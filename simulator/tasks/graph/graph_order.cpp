#include "simulator/tasks/graph/graph_order.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

TopologicalOrder topological_order(std::span<std::uint32_t const> successor_begin,
                                   std::span<TaskId const> successors) {
  auto const tasks = static_cast<std::uint32_t>(successor_begin.size() - 1);
  std::vector<std::uint32_t> missing(tasks, 0);  // predecessors that are not in the order yet
  for (TaskId const s : successors) ++missing[s.index()];
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> free;
  for (std::uint32_t t = 0; t < tasks; ++t)
    if (missing[t] == 0) free.push(TaskId{t});
  TopologicalOrder out;
  out.tasks.reserve(tasks);
  while (!free.empty()) {
    TaskId const task = free.top();
    free.pop();
    out.tasks.push_back(task);
    for (std::uint32_t e = successor_begin[task.index()]; e < successor_begin[task.index() + 1]; ++e)
      if (--missing[successors[e].index()] == 0) free.push(successors[e]);
  }
  for (std::uint32_t t = 0; t < tasks; ++t)
    if (missing[t] > 0) out.blocked.push_back(TaskId{t});
  return out;
}

namespace {

/// Reorders one value per task. An empty array stays empty.
template <class T>
void reorder(std::vector<T>& values, std::span<std::uint32_t const> order) {
  if (values.empty()) return;
  std::vector<T> out;
  out.reserve(order.size());
  for (std::uint32_t const t : order) out.push_back(values[t]);
  values = std::move(out);
}

/// Reorders a row of values per task.
template <class T>
void reorder_rows(std::vector<T>& values, std::span<std::uint32_t const> begin,
                  std::span<std::uint32_t const> order) {
  std::vector<T> out;
  out.reserve(values.size());
  for (std::uint32_t const t : order)
    out.insert(out.end(), values.begin() + begin[t], values.begin() + begin[t + 1]);
  values = std::move(out);
}

void reorder_begins(std::vector<std::uint32_t>& begin, std::span<std::uint32_t const> order) {
  std::vector<std::uint32_t> out{0};
  out.reserve(begin.size());
  for (std::uint32_t const t : order) out.push_back(out.back() + begin[t + 1] - begin[t]);
  begin = std::move(out);
}

}  // namespace

void renumber_tasks(TaskGraph& graph, std::vector<std::uint32_t> order, std::vector<ReplicaId>& replicas) {
  FACTOSIM_EXPECT(order.size() == graph.task_count(), "every task gets a number");
  {
    std::vector<TaskId> number(order.size());
    for (std::uint32_t t = 0; t < order.size(); ++t) number[order[t]] = TaskId{t};
    for (TaskId& s : graph.successors) s = number[s.index()];
    for (auto& [task, input] : graph.flushed_inputs) task = number[task.index()];
    std::ranges::sort(graph.flushed_inputs);
  }
  for (std::size_t t = 0; t < order.size(); ++t)
    std::sort(graph.successors.begin() + graph.successor_begin[t],
              graph.successors.begin() + graph.successor_begin[t + 1]);
  reorder_rows(graph.successors, graph.successor_begin, order);
  reorder_begins(graph.successor_begin, order);
  reorder_rows(graph.accesses, graph.access_begin, order);
  reorder_rows(replicas, graph.access_begin, order);
  reorder_begins(graph.access_begin, order);
  reorder(graph.kernel, order);
  reorder(graph.priority, order);
  reorder(graph.indices, order);
  reorder(graph.weights, order);
  reorder(graph.predecessors, order);
  reorder(graph.writes_back, order);
  reorder(graph.flushes_inputs, order);
  reorder(graph.phase, order);
  reorder(graph.submission, order);
  if (graph.submission.empty()) graph.submission = std::move(order);
}

void number_by_submission(TaskGraph& graph) {
  if (graph.submission.empty()) return;
  std::vector<std::uint32_t> order(graph.task_count());
  std::vector<ReplicaId> not_placed(graph.accesses.size());
  for (std::uint32_t t = 0; t < order.size(); ++t) order[graph.submission[t]] = t;
  renumber_tasks(graph, std::move(order), not_placed);
  graph.submission.clear();
}

std::vector<TaskId> in_submission_order(TaskGraph const& graph) {
  std::vector<TaskId> out(graph.task_count());
  for (std::uint32_t t = 0; t < out.size(); ++t) out[graph.submission_number(TaskId{t})] = TaskId{t};
  return out;
}

std::vector<TaskId> ordered_tasks(TaskGraph const& graph) {
  auto const follows = [&](std::uint32_t t) {
    return std::ranges::all_of(graph.successors_of(TaskId{t}), [&](TaskId next) {
      return graph.submission_number(next) >= graph.submission_number(TaskId{t});
    });
  };
  bool topological = true;
  for (std::uint32_t t = 0; t < graph.task_count() && topological; ++t) topological = follows(t);
  if (topological) return in_submission_order(graph);
  return topological_order(graph.successor_begin, graph.successors).tasks;
}

CriticalPath critical_path(TaskGraph const& graph, std::vector<Seconds> durations,
                           EdgeTime const& edge_time) {
  FACTOSIM_EXPECT(durations.size() == graph.task_count(), "one duration per task");
  if (durations.empty()) return {};
  std::vector<Seconds>& to_end = durations;        // from the start of a task to the end of its longest chain
  std::vector<TaskId> follower(durations.size());  // of each task on that chain
  std::vector<TaskId> const order = ordered_tasks(graph);
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    Seconds longest{0};
    for (TaskId const next : graph.successors_of(*task)) {
      Seconds const chain = to_end[next.index()] + (edge_time ? edge_time(*task, next) : Seconds{0});
      if (chain < longest || (chain == longest && follower[task->index()].valid())) continue;
      longest = chain;
      follower[task->index()] = next;
    }
    to_end[task->index()] += longest;
  }
  auto const first = std::max_element(to_end.begin(), to_end.end());
  CriticalPath path{*first, {}};
  for (TaskId t{first - to_end.begin()}; t.valid(); t = follower[t.index()]) path.tasks.push_back(t);
  return path;
}

}  // namespace factosim
