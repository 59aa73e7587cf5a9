// HPL by recurrences: against every message on the engine, against closed forms, and its determinism.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/hpl/hpl_setups.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr std::array broadcasts{HplBroadcast::ring_1, HplBroadcast::ring_1_modified,
                                HplBroadcast::ring_2, HplBroadcast::ring_2_modified,
                                HplBroadcast::long_,  HplBroadcast::long_modified};

HplProblem random_problem(std::mt19937& draw, int largest_side) {
  auto const from = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(draw); };
  HplProblem p;
  p.nb = 16 * from(1, 8);
  p.p = from(1, largest_side);
  p.q = from(1, largest_side);
  p.n = std::int64_t{p.nb} * from(2, 60) + from(0, p.nb - 1);
  p.broadcast = broadcasts[static_cast<std::size_t>(from(0, 5))];
  p.swap = std::array{HplSwap::binary_exchange, HplSwap::long_,
                      HplSwap::mix}[static_cast<std::size_t>(from(0, 2))];
  p.lookahead = from(0, 2);
  return p;
}

/// Errors of steps against messages over random problems.
struct Errors {
  double mean = 0, largest = 0;
};

Errors errors_of(int cases, int largest_side, int processes_per_node, double deviation) {
  std::mt19937 draw(7);
  Errors out;
  for (int i = 0; i < cases; ++i) {
    HplProblem problem = random_problem(draw, largest_side);
    if (i % 2 == 1) problem.mapping = HplMapping::column_major;
    HplScenario s = hpl_scenario(problem, processes_per_node);
    s.costs.machines["node"].deviation = deviation;
    s.noise.distribution = NoiseDistribution::normal;
    s.noise.worker_speed_deviation = deviation;
    double const error = std::abs(by_steps(s).makespan.value / by_messages(s).makespan.value - 1);
    out.mean += error / cases;
    out.largest = std::max(out.largest, error);
  }
  return out;
}

/// One panel on a row of processes: its factorization, then its broadcast.
HplScenario one_panel(HplBroadcast broadcast, int q) {
  HplScenario s = hpl_scenario({.n = 512, .nb = 512, .p = 1, .q = q, .broadcast = broadcast, .lookahead = 0});
  s.platform.types[0].nic.latency = {1e-4};  // so that messages count, not volumes
  s.platform.types[0].nic.bandwidth = {1e15};
  return s;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("steps of HPL agree with every message on the engine within a percent") {
    Errors const e = errors_of(60, 6, 1, 0);
    CHECK(e.mean < 0.002);
    CHECK(e.largest < 0.02);
  }
  TEST_CASE("steps of HPL agree with every message while nodes and updates vary") {
    Errors const e = errors_of(30, 6, 1, 0.05);
    CHECK(e.mean < 0.005);
    CHECK(e.largest < 0.03);
  }
  TEST_CASE(
      "steps of HPL with shared cards agree with max-min sharing of every message within 5 % on average") {
    Errors const e = errors_of(40, 6, 4, 0);
    CHECK(e.mean < 0.05);
    CHECK(e.largest < 0.25);
  }
}

TEST_SUITE("unit") {
  TEST_CASE("the last column has the panel after the rounds of the table in HPL's documentation") {
    for (int const q : {2, 4, 8, 16, 32}) {
      CAPTURE(q);
      int const log_q = static_cast<int>(std::lround(std::log2(q)));
      std::array<int, 6> const rounds{
          q - 1, q - 1, q / 2 + (q > 2 ? 1 : 0), q == 2 ? 1 : q == 4 ? 3 : q / 2 + 2, log_q + q - 1, 0};
      for (std::size_t b = 0; b < 5; ++b) {
        CAPTURE(b);
        HplScenario const s = one_panel(broadcasts[b], q);
        double const factored = by_steps(one_panel(broadcasts[b], 1)).makespan.value;
        double const steps = by_steps(s).makespan.value - factored;
        CHECK(steps == doctest::Approx(rounds[b] * 2e-4).epsilon(1e-3));
        CHECK(by_messages(s).makespan.value - factored == doctest::Approx(steps).epsilon(1e-3));
      }
    }
  }

  TEST_CASE("one process takes the time of its kernels") {
    HplScenario const s = hpl_scenario({.n = 1000, .nb = 128, .p = 1, .q = 1, .lookahead = 1});
    HplSystem const system(s);
    double expected = 0;
    for (std::int64_t left = 1000; left > 0; left -= 128) {
      auto const width = static_cast<int>(std::min<std::int64_t>(128, left));
      std::int64_t const rest = left - width;
      auto const elements = static_cast<double>(rest * width);
      expected += system.panel_s(0, left, width) + system.copy_s(0, elements);  // and the panel's copy
      // The next panel first, then the others.
      for (std::int64_t const columns :
           {std::min<std::int64_t>(128, rest), std::max<std::int64_t>(rest - 128, 0)})
        if (columns > 0)
          expected += system.copy_s(0, static_cast<double>(columns * width)) +
                      system.update_s(0, rest, columns, width, true);
    }
    CHECK(by_steps(s).makespan.value == doctest::Approx(expected).epsilon(1e-12));
    CHECK(by_messages(s).makespan.value == doctest::Approx(expected).epsilon(1e-6));
  }

  TEST_CASE("without look-ahead HPL's closed form is met where its assumptions hold") {
    // Panels, solves and copies for nothing, as in the leading terms of the form; fast cards, since the form counts three
    // volumes of U where HPL without equilibration sends two.
    for (auto const& [p, q] : {std::pair{1, 1}, {1, 4}, {4, 1}, {4, 4}}) {
      CAPTURE(p);
      CAPTURE(q);
      HplScenario s =
          hpl_scenario({.n = 40960, .nb = 64, .p = p, .q = q, .lookahead = 0, .swap = HplSwap::long_});
      HplMachineCosts& costs = s.costs.machines["node"];
      costs.gemm.call = costs.trsm.call = 0;
      costs.trsm.mmn = 1e-20;
      costs.panel = {.flops_per_s = 1e20, .column = 0};
      costs.memory = {1e20};
      s.platform.types[0].nic.bandwidth = {1e12};
      CHECK(by_steps(s).makespan.value == doctest::Approx(hpl_closed_form(s).value).epsilon(0.03));
    }
  }

  TEST_CASE("a process has the rows and columns that block-cyclic distribution gives it") {
    std::mt19937 draw(3);
    for (int i = 0; i < 50; ++i) {
      HplProblem const problem = random_problem(draw, 7);
      std::int64_t const k = std::uniform_int_distribution<std::int64_t>(0, problem.panels())(draw);
      std::vector<std::int64_t> rows(static_cast<std::size_t>(problem.p));
      for (std::int64_t row = k * problem.nb; row < problem.n; ++row)
        ++rows[static_cast<std::size_t>(row / problem.nb % problem.p)];
      for (int r = 0; r < problem.p; ++r) CHECK(problem.rows_from(k, r) == rows[static_cast<std::size_t>(r)]);
    }
  }

  TEST_CASE("a slow node slows HPL down and draws depend on the seed alone") {
    HplScenario s = hpl_scenario({.n = 20000, .nb = 128, .p = 4, .q = 4});
    double const even = by_steps(s).makespan.value;
    s.costs.machines["node"].factors = {1, 1, 1, 1.1};  // a quarter of the nodes
    double const uneven = by_steps(s).makespan.value;
    CHECK(uneven > 1.05 * even);
    CHECK(uneven < 1.11 * even);
    s.costs.machines["node"].factors.clear();
    s.costs.machines["node"].deviation = 0.05;
    s.noise.distribution = NoiseDistribution::lognormal;
    s.noise.seed = 1;
    double const first = by_steps(s).makespan.value;
    CHECK(first > even);
    CHECK(by_steps(s).makespan.value == first);
    s.noise.seed = 2;
    CHECK(by_steps(s).makespan.value != first);
  }
}
