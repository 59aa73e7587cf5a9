#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "distributions/ring/ring.hpp"
#include "tests/graph/random_flow.hpp"

namespace factosim::testing {

/// A connected graph: a tree of processors and routers with links either way, or one each way, some of them
/// backbones, and `extra` links more, parallel ones too. Speeds over one order of magnitude, bandwidths too.
inline ProcessorGraph random_processor_graph(Random& random, int processors, int routers, int extra) {
  ProcessorGraph graph;
  auto const vertices = static_cast<std::uint32_t>(processors + routers);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    bool const computes = v < static_cast<std::uint32_t>(processors);
    double const speed = computes ? std::pow(10.0, random.between(0, 1000) / 1e3) : 0;
    graph.vertices.push_back({(computes ? "P" : "R") + std::to_string(v), speed});
  }
  auto const bandwidth = [&] {
    return BytesPerSecond{std::round(100 * std::pow(10.0, random.between(0, 4) / 4.0))};
  };
  auto const join = [&](std::uint32_t a, std::uint32_t b) {
    int const kind = random.between(0, 9);
    std::string const name = "l" + std::to_string(graph.links.size());
    BytesPerSecond const width = bandwidth();
    graph.links.push_back({.name = name,
                           .from = a,
                           .to = b,
                           .bandwidth = width,
                           .either_way = kind < 7,
                           .shared = kind != 0,
                           .latency = {}});
    if (kind >= 7)
      graph.links.push_back({.name = name + ":back",
                             .from = b,
                             .to = a,
                             .bandwidth = width,
                             .either_way = false,
                             .shared = kind != 9,
                             .latency = {}});
  };
  // A random tree over a random order of the vertices: routers are as likely inside as processors.
  std::vector<std::uint32_t> order(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) order[v] = v;
  for (std::size_t i = vertices; i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(random.between(0, static_cast<int>(i)))]);
  for (std::uint32_t i = 1; i < vertices; ++i)
    join(order[i], order[static_cast<std::size_t>(random.between(0, static_cast<int>(i) - 1))]);
  for (int e = 0; e < extra && vertices > 1; ++e) {
    auto const a = static_cast<std::uint32_t>(random.between(0, static_cast<int>(vertices) - 1));
    auto const b = static_cast<std::uint32_t>(random.between(0, static_cast<int>(vertices) - 2));
    join(a, b < a ? b : b + 1);
  }
  return graph;
}

/// By how much the paths use more of a shared link than it has, relatively; 0 at most where they are
/// feasible.
inline double over_capacity(ProcessorGraph const& graph, Ring const& ring) {
  std::vector<double> used(graph.links.size(), 0.0);
  double over = -1;
  for (RingPath const& path : ring.paths)
    for (std::uint32_t const l : path.links) {
      used[l] = graph.links[l].shared ? used[l] + path.bandwidth : path.bandwidth;
      over = std::max(over, used[l] / graph.links[l].bandwidth.value - 1);
    }
  return over;
}

}  // namespace factosim::testing
