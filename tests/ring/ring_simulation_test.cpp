// Iterations on a ring, simulated: against the formula of T_step, and on each network model.

#include "simulator/experiments/ring/ring_simulation.hpp"
#include "distributions/ring/ring_methods.hpp"
#include "tests/distributions/ring_graphs.hpp"
#include "tests/engine/network_harness.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr RingSimulationOptions by_maxmin{.iterations = 5,
                                          .exchange = RingExchange::one_after_the_other,
                                          .bandwidth = RingBandwidth::reserved,
                                          .network = {.model = NetworkModel::maxmin},
                                          .records = false};

double step(RingProblem const& problem, Ring const& ring, RingSimulationOptions const& options) {
  auto const simulated = [&] {
    return std::vector<double>{simulate_ring(problem, ring, options).step(options.iterations).value};
  };
  return options.network.model == NetworkModel::simgrid ? in_child(simulated).front() : simulated().front();
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("with reserved bandwidths an iteration takes T_step on every network model") {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      CAPTURE(seed);
      RandomRingCase c(seed, 8);
      c.message *= 1000;  // whole bytes are sent: so many that one more or less does not show
      for (auto& link : c.graph.links) link.bandwidth.value *= 1000;
      for (RingMethod const method : {RingMethod::slice_ring, RingMethod::shared_ring, RingMethod::search})
        for (RingRefinement const refinement : {RingRefinement::max_min, RingRefinement::quadratic}) {
          Ring const ring = find_ring(c.problem(), method, refinement);
          CHECK(step(c.problem(), ring, by_maxmin) == close_to(ring.step_s, 1e-6));
        }
      if (seed > 6) continue;
      Ring const ring = find_ring(c.problem(), RingMethod::shared_ring, RingRefinement::quadratic);
      for (NetworkModel const model : {default_network_model(), NetworkModel::constant}) {
        RingSimulationOptions options = by_maxmin;
        options.network.model = model;
        CHECK(step(c.problem(), ring, options) == close_to(ring.step_s, 1e-6));
      }
    }
  }

  TEST_CASE(
      "messages that need not keep to what is reserved are no slower on average than the formula says") {
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      CAPTURE(seed);
      RandomRingCase c(seed, 8);
      c.message *= 1000;
      for (auto& link : c.graph.links) link.bandwidth.value *= 1000;
      Ring const ring = find_ring(c.problem(), RingMethod::search, RingRefinement::quadratic);
      RingSimulationOptions at_once = by_maxmin;
      at_once.exchange = RingExchange::at_once;
      CHECK(step(c.problem(), ring, at_once) <= ring.step_s * (1 + 1e-6));
    }
  }
}

TEST_SUITE("unit") {
  TEST_CASE("in a ring of two both messages of a processor go to the other one by their own ways") {
    ProcessorGraph graph = star({1, 1}, 100);
    graph.links.push_back({.name = "direct",
                           .from = 0,
                           .to = 1,
                           .bandwidth = {50},
                           .either_way = true,
                           .shared = true,
                           .latency = {0}});
    Ring ring{.order = {0, 1}, .paths = {}, .alpha = {}, .step_s = 0};
    ring.paths = {{0, 1, {0, 1}, 50}, {0, 1, {2}, 25}, {1, 0, {1, 0}, 50}, {1, 0, {2}, 25}};
    RingProblem const problem{graph, 10, 100};
    share_work(problem, ring);
    CHECK(ring.step_s == close_to(5 + 2 + 4));
    RingOutcome const outcome = simulate_ring(problem, ring, by_maxmin);
    CHECK(outcome.makespan.value == close_to(5 * 11.0));
    CHECK(outcome.processors[0].computing.value == close_to(5 * 5.0));
    CHECK(outcome.processors[0].sending.value == close_to(5 * 6.0));
    CHECK(outcome.processors[1].waiting.value == 0);

    RingSimulationOptions shared = by_maxmin;
    shared.bandwidth = RingBandwidth::shared;  // two messages on each way at a time: the same
    CHECK(step(problem, ring, shared) == close_to(11));
    shared.exchange = RingExchange::at_once;  // both ways at once: the longer one counts
    CHECK(step(problem, ring, shared) == close_to(5 + 4));
  }

  TEST_CASE("a processor alone computes and sends nothing") {
    ProcessorGraph const graph = star({4, 1}, 1e-3);
    Ring const ring = find_ring({graph, 8, 100}, RingMethod::search, RingRefinement::quadratic);
    CHECK(ring.order == std::vector<std::uint32_t>{0});
    RingOutcome const outcome = simulate_ring({graph, 8, 100}, ring, by_maxmin);
    CHECK(outcome.makespan.value == close_to(5 * 2.0));
    CHECK(outcome.processors[0].sending.value == 0);
  }

  TEST_CASE("a processor starts an iteration only after the messages of both neighbours have arrived") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      RandomRingCase const c(seed, 8);
      Ring ring = find_ring(c.problem(), RingMethod::slice_ring, RingRefinement::max_min);
      std::fill(ring.alpha.begin(), ring.alpha.end(),
                1.0 / static_cast<double>(ring.size()));  // not balanced
      RingSimulationOptions options = by_maxmin;
      options.records = true;
      options.bandwidth = RingBandwidth::shared;
      RingOutcome const out = simulate_ring(c.problem(), ring, options);
      std::size_t const q = ring.size();
      REQUIRE(out.slices.size() == 5 * q);
      REQUIRE(out.messages.size() == (q == 1 ? 0 : 5 * 2 * q));
      std::vector<std::array<double, 5>> starts(q), ends(q);
      for (auto const& slice : out.slices) {
        starts[slice.place][slice.iteration] = slice.start.value;
        ends[slice.place][slice.iteration] = slice.end.value;
      }
      for (auto const& m : out.messages) {
        CHECK(m.start.value >= ends[m.path / 2][m.iteration]);
        if (m.iteration == 4) continue;
        CHECK(m.end.value <= starts[m.path / 2][m.iteration + 1]);
        CHECK(m.end.value <= starts[end_of_path(m.path, q) / 2][m.iteration + 1]);
      }
    }
  }

  TEST_CASE("latencies come on top of the formula once for each message") {
    ProcessorGraph graph = star({1, 1, 1}, 100);
    for (auto& link : graph.links) link.latency = {0.25};
    Ring const ring = find_ring({graph, 30, 100}, RingMethod::search, RingRefinement::quadratic);
    REQUIRE(ring.size() == 3);
    CHECK(step({graph, 30, 100}, ring, by_maxmin) == close_to(ring.step_s + 2 * 0.5, 1e-6));
  }
}
