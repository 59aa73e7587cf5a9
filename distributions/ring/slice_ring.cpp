#include "distributions/ring/slice_ring.hpp"

#include "distributions/ring/shared_ring.hpp"
#include "distributions/ring/widest_path.hpp"

namespace factosim {

CompleteGraph complete_graph(ProcessorGraph const& graph) {
  CompleteGraph out;
  WidestPaths const widest(graph);
  std::vector<double> const all = bandwidth_left(graph, {});
  std::vector<std::uint32_t> const computing = processors(graph);
  for (std::uint32_t const v : computing) out.graph.vertices.push_back(graph.vertices[v]);
  for (std::uint32_t i = 0; i < computing.size(); ++i)
    for (std::uint32_t j = 0; j < computing.size(); ++j) {
      if (i == j) continue;
      RingPath path = widest.widest(computing[i], computing[j], all);
      if (path.links.empty()) continue;
      out.graph.links.push_back({.name = {},
                                 .from = i,
                                 .to = j,
                                 .bandwidth = {path.bandwidth},
                                 .either_way = false,
                                 .shared = false});
      out.paths.push_back(std::move(path));
    }
  return out;
}

Ring slice_ring(RingProblem const& problem) {
  CompleteGraph const complete = complete_graph(problem.graph);
  std::vector<std::uint32_t> const computing = processors(problem.graph);
  Ring ring = best_ring(greedy_rings({complete.graph, problem.work, problem.message}));
  for (std::uint32_t& v : ring.order) v = computing[v];
  for (RingPath& path : ring.paths) path = complete.paths[path.links.front()];
  return ring;
}

}  // namespace factosim
