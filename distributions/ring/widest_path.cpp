#include "distributions/ring/widest_path.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <boost/property_map/property_map.hpp>
#include <functional>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

WidestPaths::WidestPaths(ProcessorGraph const& graph) : graph_(graph.vertices.size()) {
  for (std::uint32_t l = 0; l < graph.links.size(); ++l) {
    ProcessorGraph::Link const& link = graph.links[l];
    boost::add_edge(link.from, link.to, Arc{l}, graph_);
    if (link.either_way) boost::add_edge(link.to, link.from, Arc{l}, graph_);
  }
}

double WidestPaths::width(std::uint32_t from, std::uint32_t to, std::span<double const> left) const {
  std::vector<double> widths(boost::num_vertices(graph_));
  auto const weight =
      boost::make_function_property_map<ArcId>([&](ArcId const& arc) { return left[graph_[arc].link]; });
  boost::dijkstra_shortest_paths(
      graph_, from,
      boost::weight_map(weight)
          .distance_map(boost::make_iterator_property_map(widths.begin(), get(boost::vertex_index, graph_)))
          .distance_compare([](double a, double b) { return a > b; })
          .distance_combine([](double a, double b) { return std::min(a, b); })
          .distance_inf(0.0)
          .distance_zero(std::numeric_limits<double>::infinity()));
  return widths[to];
}

RingPath WidestPaths::widest(std::uint32_t from, std::uint32_t to, std::span<double const> left) const {
  FACTOSIM_EXPECT(from != to, "a path from a vertex to itself");
  RingPath path{.from = from, .to = to, .links = {}, .bandwidth = width(from, to, left)};
  if (path.bandwidth <= 0) return path;
  auto const wide = [&](ArcId const& arc) { return left[graph_[arc].link] >= path.bandwidth; };
  boost::filtered_graph<Graph, std::function<bool(ArcId const&)>> const wide_links(graph_, wide);
  std::vector<ArcId> reached_by(boost::num_vertices(graph_));
  auto const by = boost::make_iterator_property_map(reached_by.begin(), get(boost::vertex_index, graph_));
  boost::breadth_first_search(
      wide_links, from,
      boost::visitor(boost::make_bfs_visitor(boost::record_edge_predecessors(by, boost::on_tree_edge()))));
  for (std::size_t at = to; at != from; at = source(reached_by[at], graph_))
    path.links.push_back(graph_[reached_by[at]].link);
  std::reverse(path.links.begin(), path.links.end());
  return path;
}

}  // namespace factosim
