#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <span>

#include "distributions/ring/ring.hpp"

namespace factosim {

/// Widest paths in a graph, by the remaining bandwidth of each link.
class WidestPaths {
 public:
  explicit WidestPaths(ProcessorGraph const& graph);

  /// Returns a path of maximum bandwidth, min over its links of `left` ([links]), with the fewest links;
  /// without bandwidth and links if none remains. Dijkstra's algorithm for the widest path, then a
  /// breadth-first search over the links that are wide enough.
  [[nodiscard]] RingPath widest(std::uint32_t from, std::uint32_t to, std::span<double const> left) const;

 private:
  struct Arc {
    std::uint32_t link = 0;
  };
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Arc>;
  using ArcId = boost::graph_traits<Graph>::edge_descriptor;

  [[nodiscard]] double width(std::uint32_t from, std::uint32_t to, std::span<double const> left) const;

  Graph graph_;  // an undirected link is two arcs
};

}  // namespace factosim
