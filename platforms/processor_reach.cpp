#include "platforms/processor_reach.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <vector>

namespace factosim {

std::optional<std::pair<std::uint32_t, std::uint32_t>> unreachable_processors(ProcessorGraph const& graph) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> ways(graph.vertices.size());
  for (ProcessorGraph::Link const& link : graph.links) {
    boost::add_edge(link.from, link.to, ways);
    if (link.either_way) boost::add_edge(link.to, link.from, ways);
  }
  std::vector<std::size_t> component(graph.vertices.size());
  boost::strong_components(
      ways, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, ways)));
  std::optional<std::uint32_t> first;
  for (std::uint32_t v = 0; v < graph.vertices.size(); ++v) {
    if (!graph.vertices[v].computes()) continue;
    if (!first) first = v;
    // Boost numbers components in reverse topological order: a lower number does not reach a higher one.
    if (component[v] < component[*first]) return std::pair(v, *first);
    if (component[v] > component[*first]) return std::pair(*first, v);
  }
  return std::nullopt;
}

}  // namespace factosim
