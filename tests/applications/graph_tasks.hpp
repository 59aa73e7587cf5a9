#pragma once

#include "factosim/task_graph.hpp"
#include "models/applications/registry.hpp"
#include "tests/prelude.hpp"

namespace factosim::testing {

using Counts = std::map<std::string, std::uint64_t>;

/// The graph of an application whose tiles are all on one node.
inline TaskGraph graph_on_one_node(std::string const& name, ApplicationParameters const& p) {
  auto const tiles = static_cast<std::size_t>(p.nt) * static_cast<std::size_t>(p.nt);
  return application(name).graph(p, {.mt = p.nt, .nt = p.nt, .owner = std::vector<NodeId>(tiles, NodeId{0})});
}

/// Returns the number of tasks of each kernel of the graph, including 0.
inline Counts tasks_by_kernel(TaskGraph const& graph) {
  Counts counts;
  for (Kernel const& kernel : graph.kernels) counts[kernel.name] = 0;
  for (std::uint16_t const kernel : graph.kernel) ++counts[graph.kernels[kernel].name];
  return counts;
}

/// The task of a kernel with these indices.
inline TaskId find_task(TaskGraph const& graph, std::string const& kernel, int k, int m, int n) {
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    TaskIndices const& i = graph.indices[t];
    if (graph.kernel_of(TaskId{t}).name == kernel && i.k == k && i.m == m && i.n == n) return TaskId{t};
  }
  FAIL("no such task");
  return {};
}

/// Checks that two graphs have the same tasks, their kernels by number, on as many handles.
inline void check_same_tasks(TaskGraph const& found, TaskGraph const& expected) {
  CHECK(found.kernel == expected.kernel);
  CHECK(found.priority == expected.priority);
  CHECK(found.handles.size() == expected.handles.size());
  CHECK(found.successors == expected.successors);
  CHECK(found.writes_back == expected.writes_back);
}

inline int priority(TaskGraph const& graph, std::string const& kernel, int k, int m, int n) {
  return graph.priority[find_task(graph, kernel, k, m, n).index()];
}

}  // namespace factosim::testing
