#pragma once

#include "factosim/task_graph.hpp"
#include "models/applications/application.hpp"
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

}  // namespace factosim::testing
