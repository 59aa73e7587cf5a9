#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/base/core/compressed_rows.hpp"

namespace factosim {

struct TopologicalOrder {
  std::vector<TaskId> tasks;    // each after its predecessors; the smallest possible number first
  std::vector<TaskId> blocked;  // ascending: tasks on a cycle and the tasks that depend on these
};

/// Orders tasks by their dependencies (Kahn's algorithm). The successors of task t are
/// `successors[successor_begin[t]]` to `successors[successor_begin[t + 1] - 1]`.
/// O(edges + tasks log tasks).
[[nodiscard]] TopologicalOrder topological_order(std::span<std::uint32_t const> successor_begin,
                                                 std::span<TaskId const> successors);

/// A list of tasks for each task.
using TaskRows = CompressedRows<TaskId>;

/// Computes lists of predecessors from lists of successors, or the reverse: row a contains b, ascending, for
/// each row b that contains a. O(tasks + items), without scratch memory.
[[nodiscard]] inline TaskRows transpose(std::span<std::uint32_t const> begin, std::span<TaskId const> items) {
  return collect_rows<TaskId>(begin.size() - 1, [&](auto const& use) {
    for (std::uint32_t row = 0; row + 1 < begin.size(); ++row)
      for (std::uint32_t i = begin[row]; i < begin[row + 1]; ++i) use(items[i].index(), TaskId{row});
  });
}

struct TaskEdge {
  TaskId from, to;
  bool operator==(TaskEdge const&) const = default;
};

/// Returns the successors of each task, in the order of the edges. O(tasks + edges).
[[nodiscard]] inline TaskRows rows_of(std::size_t tasks, std::span<TaskEdge const> edges) {
  return collect_rows<TaskId>(tasks, [&](auto const& use) {
    for (TaskEdge const& edge : edges) use(edge.from.index(), edge.to);
  });
}

/// Renumbers the tasks of a graph: task `order[i]` becomes task i. Afterwards `TaskGraph::submission` has their
/// places in the submission order. `accesses_too` is parallel to TaskGraph::accesses and is reordered in the
/// same way. The successors of each task are sorted by their new numbers.
/// O(tasks + accesses + edges log degree).
void renumber_tasks(TaskGraph& graph, std::vector<std::uint32_t> order, std::vector<ReplicaId>& replicas);

/// Restores the numbering by submission.
void number_by_submission(TaskGraph& graph);

/// Returns all tasks in submission order.
[[nodiscard]] std::vector<TaskId> in_submission_order(TaskGraph const& graph);

struct CriticalPath {
  Seconds length;
  std::vector<TaskId> tasks;  // in the order of execution
};

using EdgeTime = std::function<Seconds(TaskId from, TaskId to)>;

/// Returns the longest chain of tasks if task t takes `durations[t]` and each edge takes `edge_time(from, to)`,
/// or no time without `edge_time`. No schedule is shorter. Tasks may be numbered in any order, as in a recorded
/// run. O(tasks + edges) if the submission order is topological, otherwise O(edges + tasks log tasks).
CriticalPath critical_path(TaskGraph const& graph, std::vector<Seconds> durations,
                           EdgeTime const& edge_time = {});

/// Returns the tasks in submission order if each then follows its predecessors, otherwise in another
/// topological order. O(tasks + edges), or O(edges + tasks log tasks).
[[nodiscard]] std::vector<TaskId> ordered_tasks(TaskGraph const& graph);

/// Adds an access of a task whose accesses begin at `first`. Two accesses to one handle become one of both modes.
inline void add_access(std::vector<DataAccess>& accesses, std::size_t first, DataAccess access) {
  auto const earlier = std::find_if(accesses.begin() + static_cast<std::ptrdiff_t>(first), accesses.end(),
                                    [&](DataAccess a) { return a.handle() == access.handle(); });
  if (earlier == accesses.end())
    accesses.push_back(access);
  else
    *earlier = DataAccess(access.handle(), earlier->mode() | access.mode());
}

}  // namespace factosim
