#include "simulator/traces/import/contracted_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

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

ContractedGraph::ContractedGraph(StarpuRun const& run) : run_(run), seen_(run.tasks.size(), 0) {
  by_key_.reserve(run.tasks.size());
  for (std::uint32_t i = 0; i < run.tasks.size(); ++i)
    if (!by_key_.try_emplace(run.tasks[i].name.key(), i).second) ++repeated_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> further;  // (task, predecessor)
  for (auto const& [task, before] : run.further_dependencies) {
    std::uint32_t const a = index_of(task), b = index_of(before);
    if (a == none || b == none)
      ++unknown_tasks_;
    else
      further.emplace_back(a, b);
  }
  std::sort(further.begin(), further.end());
  begin_.reserve(run.tasks.size() + 1);
  before_.reserve(run.dependencies.size() + further.size());
  begin_.push_back(0);
  auto extra = further.begin();
  for (std::uint32_t i = 0; i < run.tasks.size(); ++i) {
    StarpuTask const& task = run.tasks[i];
    for (std::uint32_t d = task.first_dependency; d < task.first_dependency + task.dependencies; ++d) {
      std::uint32_t const before = index_of(run.dependencies[d]);
      if (before == none)
        ++unknown_tasks_;
      else
        before_.emplace_back(before);
    }
    for (; extra != further.end() && extra->first == i; ++extra) before_.emplace_back(extra->second);
    begin_.push_back(static_cast<std::uint32_t>(before_.size()));
  }
  // Eight for each recorded dependency in any case: a step takes 4 to 16 bytes where it becomes a dependency.
  steps_left_ = input_limit(InputLimit::steps) + 8 * before_.size();
}

void ContractedGraph::fail_too_large() const { refuse_input(InputLimit::steps, run_.source + "#"); }

void ContractedGraph::refuse_cycles() const {
  factosim::refuse_cycles(begin_, before_, [&](TaskId task) {
    return run_.tasks_file + "#line " + std::to_string(run_.tasks[task.index()].line);
  });
}

std::uint32_t ContractedGraph::index_of(std::uint64_t key) const {
  auto const found = by_key_.find(key);
  return found == by_key_.end() ? none : found->second;
}

}  // namespace factosim
