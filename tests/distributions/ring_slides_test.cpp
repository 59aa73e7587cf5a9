// The toy example of the slides about rings, and graphs like the slides' machine in Lyon.

#include "distributions/ring/ring.hpp"
#include "distributions/ring/ring_methods.hpp"
#include "platforms/processor_graph_json.hpp"
#include "tests/distributions/ring_graphs.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// The toy ring P1 to P5 of the slides with the printed paths.
Ring toy_ring(ProcessorGraph const& graph) {
  auto const link = [&](char name) {
    for (std::uint32_t l = 0; l < graph.links.size(); ++l)
      if (graph.links[l].name == std::string(1, name)) return l;
    FAIL("no such link");
    return 0U;
  };
  std::vector<std::string> const printed = {"ab",  "h",   "cd", "bgh", "de",
                                            "def", "fbg", "ed", "h",   "gbf"};  // S_1, P_1, S_2, ...
  Ring ring{.order = {0, 1, 2, 3, 4}, .paths = {}, .alpha = {}, .step_s = 0};
  for (std::uint32_t p = 0; p < printed.size(); ++p) {
    RingPath path{.from = p / 2, .to = (p / 2 + (p % 2 == 0 ? 1 : 4)) % 5, .links = {}, .bandwidth = 1};
    for (char const name : printed[p]) path.links.push_back(link(name));
    ring.paths.push_back(path);
  }
  return ring;
}

}  // namespace

TEST_SUITE("published") {
  TEST_CASE("the toy example of the slides: the constraints of its links are the printed sums") {
    GraphPlatform const toy = read_processor_graph(repository() / "scenarios/ring/toy.platform.json");
    CHECK(processors(toy.graph).size() == 7);
    CHECK(toy.graph.links.size() == 8);
    Ring const ring = toy_ring(toy.graph);
    for (RingPath const& path : ring.paths) CHECK(leads_there(toy.graph, path));
    std::vector<std::string> const printed = {
        "s1",           "s1 + s4 + p2 + p5", "s2",           "s2 + s3 + p3 + p4",
        "s3 + p3 + p4", "s4 + p3 + p5",      "s4 + p2 + p5", "s5 + p1 + p2"};  // links a to h
    auto const users = paths_on_links(toy.graph, ring.paths);
    for (std::size_t l = 0; l < 8; ++l) {
      CAPTURE(toy.graph.links[l].name);
      std::string sum;
      for (char const kind : {'s', 'p'})
        for (std::uint32_t const p : users[l])
          if ((p % 2 == 0) == (kind == 's'))
            sum += fmt::format("{}{}{}", sum.empty() ? "" : " + ", kind, p / 2 + 1);
      CHECK(sum == printed[l]);
    }
  }

  TEST_CASE("the toy example of the slides: the quadratic program reaches the closed form of its ring") {
    GraphPlatform toy = read_processor_graph(repository() / "scenarios/ring/toy.platform.json");
    Random random(3);
    for (int round = 0; round < 40; ++round) {
      CAPTURE(round);
      // Letters for which links a, c, e, g and h are full and b, d and f are not. Minimising the sum of v / s over the
      // paths of one full link gives s in proportion to the root of v. With v_1 = v_4 and b_g = b_h both links have
      // the same multiplier, and path p_2, which crosses both, counts half.
      std::array<double, 5> v;
      for (double& speed : v) speed = random.between(10, 100) / 10.0;
      v[3] = v[0];
      double const a = random.between(5, 50), c = random.between(5, 50), e = random.between(5, 50),
                   gh = random.between(5, 50);
      double const on_gh = gh / (std::sqrt(v[4]) + std::sqrt(v[0]) + std::sqrt(v[1] / 2));
      double const on_e = e / (2 * std::sqrt(v[2]) + std::sqrt(v[3]));
      std::array<double, 5> const s{a, c, on_e * std::sqrt(v[2]), on_gh * std::sqrt(v[3]),
                                    on_gh * std::sqrt(v[4])};
      std::array<double, 5> const p{on_gh * std::sqrt(v[0]), on_gh * std::sqrt(v[1] / 2),
                                    on_e * std::sqrt(v[2]), on_e * std::sqrt(v[3]), on_gh * std::sqrt(v[4])};
      std::array<double, 8> const links{
          a, 1.5 * (s[0] + s[3] + p[1] + p[4]), c,  1.5 * (s[1] + s[2] + p[2] + p[3]),
          e, 1.5 * (s[3] + p[2] + p[4]),        gh, gh};
      for (std::size_t l = 0; l < 8; ++l) toy.graph.links[l].bandwidth = {links[l]};
      double speeds = 0, exchange = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        toy.graph.vertices[i].speed = v[i];
        speeds += v[i];
        exchange += v[i] * (1 / s[i] + 1 / p[i]);
      }
      RingProblem const problem{toy.graph, 1000, 1};  // messages are short enough for all to compute
      Ring const ring =
          feasible_ring(problem, RingMethod::given, toy_ring(toy.graph), RingRefinement::quadratic);
      CHECK(ring.step_s == exactly((1000 + exchange) / speeds, 1e-9));
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(ring.alpha[i] > 0);
        CHECK(ring.paths[2 * i].bandwidth == exactly(s[i], 1e-3));
        CHECK(ring.paths[2 * i + 1].bandwidth == exactly(p[i], 1e-3));
      }
    }
  }
}

TEST_SUITE("property") {
  TEST_CASE("the better of slice-ring and shared-ring loses to neither on graphs like that of Lyon") {
    int shared_loses = 0;
    for (std::uint32_t number = 0; number < 45; number += 8) {
      CAPTURE(number);
      LyonLikeCase const c(number);
      for (RingRefinement const refinement : every_refinement) {
        CAPTURE(name_of(refinement));
        double const slice = find_ring(c.problem(), RingMethod::slice_ring, refinement).step_s;
        double const shared = find_ring(c.problem(), RingMethod::shared_ring, refinement).step_s;
        Ring const both = find_ring(c.problem(), RingMethod::slice_or_shared, refinement);
        CHECK(both.step_s == std::min(slice, shared));
        CHECK(over_capacity(c.graph, both) <= 1e-9);
        shared_loses += refinement == RingRefinement::quadratic && shared > slice * (1 + 1e-9) ? 1 : 0;
      }
    }
    MESSAGE("shared-ring alone loses on " << shared_loses << " of 6");
  }
}
