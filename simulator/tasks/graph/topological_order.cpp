#include "simulator/tasks/graph/topological_order.hpp"

#include <functional>
#include <queue>

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

}  // namespace factosim
