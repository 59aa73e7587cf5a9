#include "simulator/traces/import/dependency_cycles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/topological_order.hpp"
#include "simulator/tasks/graph/transpose.hpp"

namespace factosim {

void refuse_cycles(std::span<std::uint32_t const> begin, std::span<TaskId const> predecessors,
                   std::function<std::string(TaskId)> const& place) {
  if (begin.size() < 2) return;
  TaskRows const successors = transpose(begin, predecessors);
  std::vector<TaskId> const blocked = topological_order(successors.begin, successors.items).blocked;
  if (blocked.empty()) return;
  // Each blocked task waits for a blocked one: this path ends on a cycle.
  auto const is_blocked = [&](TaskId t) { return std::ranges::binary_search(blocked, t); };
  std::vector<bool> seen(begin.size() - 1, false);
  TaskId task = blocked.front();
  while (!seen[task.index()]) {
    seen[task.index()] = true;
    task = *std::find_if(predecessors.begin() + begin[task.index()],
                         predecessors.begin() + begin[task.index() + 1], is_blocked);
  }
  throw InputError(place(task),
                   fmt::format("{} tasks wait for each other in a circle, or for one that does (no program "
                               "makes that; this one waits for itself). Was the trace damaged?",
                               blocked.size()));
}

}  // namespace factosim
