#pragma once

#include "distributions/ring/ring_methods.hpp"
#include "platforms/processor_graph_json.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

namespace factosim::testing {

inline constexpr std::array every_refinement{RingRefinement::none, RingRefinement::max_min,
                                             RingRefinement::quadratic};

inline doctest::Approx exactly(double value, double relative = 1e-12) {
  return doctest::Approx(value).epsilon(relative).scale(0);
}

/// A graph with all kinds of links, 2 to `maximum` processors, up to two routers and up to three links besides a
/// tree, and an H for W = 10 that ranges from negligible messages to few processors being optimal.
struct RandomRingCase {
  ProcessorGraph graph;
  double message;

  RandomRingCase(std::uint64_t seed, int maximum) {
    Random random(seed);
    RandomGraphOptions options;
    options.processors = random.between(2, maximum);
    options.routers = random.between(0, 2);
    options.extra_links = random.between(0, 3);
    options.min_bandwidth = 100;
    options.max_bandwidth = 1000;
    options.one_way_percent = 30;
    options.backbone_percent = 10;
    graph = random_processor_graph(options, seed);
    message = std::round(100 * std::pow(10.0, random.between(-20, 20) / 10.0));
  }
  [[nodiscard]] RingProblem problem() const { return {graph, 10.0, message}; }
};

/// Maximum relative excess over a link's capacity; <= 0 for feasible paths.
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

/// Returns whether the links of the path connect its ends, each used in a direction that it has.
inline bool leads_there(ProcessorGraph const& graph, RingPath const& path) {
  std::uint32_t at = path.from;
  for (std::uint32_t const l : path.links) {
    ProcessorGraph::Link const& link = graph.links[l];
    if (link.from == at)
      at = link.to;
    else if (link.either_way && link.to == at)
      at = link.from;
    else
      return false;
  }
  return at == path.to;
}

/// Processors around one switch, each connected by a bidirectional link of that bandwidth.
inline ProcessorGraph star(std::vector<double> const& speeds, double bandwidth) {
  ProcessorGraph graph;
  auto const centre = static_cast<std::uint32_t>(speeds.size());
  for (std::uint32_t v = 0; v < centre; ++v) {
    graph.vertices.push_back({"P" + std::to_string(v), speeds[v]});
    graph.links.push_back({.name = "l" + std::to_string(v),
                           .from = v,
                           .to = centre,
                           .bandwidth = {bandwidth},
                           .either_way = true,
                           .shared = true,
                           .latency = {0}});
  }
  graph.vertices.push_back({"switch", 0});
  return graph;
}

/// The 14 processors of the slides' Lyon table on one to three routers in a row: number 0 to 44. Processors are dealt
/// out in turn, in blocks, or at random (three ways); links to routers have 100 Mb/s, those between routers 10 or 100;
/// H over W is 0.1, 1 or 10 Mbit per Mflop (W = 100).
struct LyonLikeCase {
  ProcessorGraph graph;
  double message;

  explicit LyonLikeCase(std::uint32_t number) : message(12'500'000.0 * std::pow(10.0, number % 3 - 1.0)) {
    constexpr double fast = 12'500'000;  // bytes per second
    std::uint32_t const routers = number / 3 % 3 + 1, dealing = number / 9;
    std::vector<double> const speeds{.0206, .0206, .0206, .0206, .0291, .0206, .0087,
                                     .0206, .0206, .0206, .0206, .0206, .0291, .0451};
    auto const count = static_cast<std::uint32_t>(speeds.size());
    Random random(number / 3);
    auto const join = [&](std::uint32_t a, std::uint32_t b, double bandwidth) {
      graph.links.push_back({.name = "l" + std::to_string(graph.links.size()),
                             .from = a,
                             .to = b,
                             .bandwidth = {bandwidth},
                             .either_way = true,
                             .shared = true,
                             .latency = {0}});
    };
    for (std::uint32_t v = 0; v < count; ++v) {
      graph.vertices.push_back({"P" + std::to_string(v), speeds[v]});
      std::uint32_t const in_turn = v % routers, in_blocks = v * routers / count;
      auto const at_random = static_cast<std::uint32_t>(random.between(0, static_cast<int>(routers) - 1));
      join(v, count + (dealing == 0 ? in_turn : dealing == 1 ? in_blocks : at_random), fast);
    }
    for (std::uint32_t r = 0; r < routers; ++r) {
      graph.vertices.push_back({"R" + std::to_string(r), 0});
      if (r > 0) join(count + r - 1, count + r, (number / 3 + r) % 2 == 0 ? fast : fast / 10);
    }
  }
  [[nodiscard]] RingProblem problem() const { return {graph, 100.0, message}; }
};

}  // namespace factosim::testing
