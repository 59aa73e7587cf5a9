#include "simulator/tasks/graph/renumber.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

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

}  // namespace factosim
