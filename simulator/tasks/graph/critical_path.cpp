#include "simulator/tasks/graph/critical_path.hpp"

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/renumber.hpp"
#include "simulator/tasks/graph/topological_order.hpp"

namespace factosim {

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
