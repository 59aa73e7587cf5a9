#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

/// Widest paths in a graph, by the bandwidth that each link still has.
class WidestPaths {
 public:
  explicit WidestPaths(ProcessorGraph const& graph);

  /// A path of the largest bandwidth, min over its links of `left` ([links]), and of the fewest links among
  /// these; its bandwidth is 0, and it has no links, where none is left. Dijkstra's algorithm with the widest
  /// in place of the shortest, then a breadth-first search over the links that are wide enough.
  [[nodiscard]] RingPath widest(std::uint32_t from, std::uint32_t to, std::span<double const> left) const;

 private:
  struct Arc {
    std::uint32_t link = 0;
  };
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Arc>;
  using ArcId = boost::graph_traits<Graph>::edge_descriptor;

  [[nodiscard]] double width(std::uint32_t from, std::uint32_t to, std::span<double const> left) const;

  Graph graph_;  // a link that is used either way is two arcs
};

}  // namespace factosim
