#include "simulator/graph/critical_path.hpp"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>

#include "simulator/core/error.hpp"
#include "simulator/graph/boost_view.hpp"

namespace factosim {

namespace {

/// Vertices so that every edge leads from a later to an earlier one (Boost's order).
std::vector<std::uint32_t> reverse_topological_order(TaskGraphView const& view) {
  std::vector<std::uint32_t> order;
  order.reserve(num_vertices(view));
  boost::topological_sort(view, std::back_inserter(order));
  return order;
}

}  // namespace

CriticalPath critical_path(TaskGraph const& graph, std::span<Seconds const> durations,
                           std::function<Seconds(TaskId, TaskId)> const& edge_time) {
  FACTOSIM_EXPECT(durations.size() == graph.task_count(), "one duration per task");
  if (graph.task_count() == 0) return {};
  TaskGraphView const view(graph);
  // From each task: the longest way to the end, itself included, and the task that follows on it.
  std::vector<Seconds> remaining(graph.task_count());
  std::vector<TaskId> follower(graph.task_count());
  for (std::uint32_t const t : reverse_topological_order(view)) {
    Seconds longest{0};
    for (auto [edge, end] = out_edges(t, view); edge != end; ++edge) {
      TaskId const next{target(*edge, view)};
      Seconds const way = remaining[next.index()] + (edge_time ? edge_time(TaskId{t}, next) : Seconds{0});
      if (way < longest || (way == longest && follower[t].valid())) continue;
      longest = way;
      follower[t] = next;
    }
    remaining[t] = longest + durations[t];
  }
  auto const first = std::max_element(remaining.begin(), remaining.end());
  CriticalPath path{*first, {}};
  for (TaskId t{first - remaining.begin()}; t.valid(); t = follower[t.index()]) path.tasks.push_back(t);
  return path;
}

}  // namespace factosim
