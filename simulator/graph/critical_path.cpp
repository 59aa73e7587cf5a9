#include "simulator/graph/critical_path.hpp"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>

#include "factosim/error.hpp"
#include "simulator/graph/boost_view.hpp"
#include "simulator/graph/renumber.hpp"

namespace factosim {

namespace {

/// All tasks, each behind those that follow it, however they are numbered (Boost's order).
std::vector<TaskId> reverse_topological_order(TaskGraph const& graph) {
  std::vector<std::uint32_t> order;
  order.reserve(graph.task_count());
  TaskGraphView view(graph);  // Boost wants an object that it may change
  boost::topological_sort(view, std::back_inserter(order));
  return {order.begin(), order.end()};
}

/// Turns the duration of each task into the longest way from its start to the end. `backwards`: all tasks,
/// each behind those that follow it. Tells `note(task, next)` which task follows on the way.
template <class Tasks, class Note>
void add_longest_ways(TaskGraph const& graph, Tasks const& backwards, std::vector<Seconds>& times,
                      EdgeTime const& edge_time, Note note) {
  FACTOSIM_EXPECT(times.size() == graph.task_count(), "one duration per task");
  for (TaskId const task : backwards) {
    Seconds longest{0};
    TaskId follower;
    for (TaskId const next : graph.successors_of(task)) {
      Seconds const way = times[next.index()] + (edge_time ? edge_time(task, next) : Seconds{0});
      if (way < longest || (way == longest && follower.valid())) continue;
      longest = way;
      follower = next;
    }
    times[task.index()] += longest;
    note(task, follower);
  }
}

}  // namespace

CriticalPath critical_path(TaskGraph const& graph, std::vector<Seconds> durations,
                           EdgeTime const& edge_time) {
  std::vector<TaskId> followers(durations.size());
  add_longest_ways(graph, reverse_topological_order(graph), durations, edge_time,
                   [&](TaskId task, TaskId next) { followers[task.index()] = next; });
  if (durations.empty()) return {};
  auto const first = std::max_element(durations.begin(), durations.end());
  CriticalPath path{*first, {}};
  for (TaskId t{first - durations.begin()}; t.valid(); t = followers[t.index()]) path.tasks.push_back(t);
  return path;
}

Seconds critical_path_length(TaskGraph const& graph, std::vector<Seconds> durations,
                             EdgeTime const& edge_time) {
  std::vector<TaskId> backwards = in_submission_order(graph);
  std::reverse(backwards.begin(), backwards.end());
  add_longest_ways(graph, backwards, durations, edge_time, [](TaskId, TaskId) {});
  return durations.empty() ? Seconds{0} : *std::max_element(durations.begin(), durations.end());
}

}  // namespace factosim
