// The blocks of each balancer, and the optimum for known curves.

#include "simulator/experiments/balance/balancers.hpp"

#include "simulator/experiments/balance/equal_time.hpp"
#include "simulator/experiments/balance/fitted_curve.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "tests/loops/loop_setups.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

Pool with(std::int64_t left) { return {.now = {0}, .left = left, .in_flight = 0}; }

/// Least makespan over all ways to give each worker any number of chunks in one block each.
double brute_force(std::vector<TrueBlockTime> const& times, std::size_t from, std::int64_t chunks) {
  if (from + 1 == times.size()) return chunks > 0 ? times[from](chunks) : 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t own = 0; own <= chunks; ++own)
    best =
        std::min(best, std::max(own > 0 ? times[from](own) : 0, brute_force(times, from + 1, chunks - own)));
  return best;
}

/// a + b x + c x^d
struct PowerTime final : BlockTime {
  double a, b, c, d;
  PowerTime(double a_, double b_, double c_, double d_) : a(a_), b(b_), c(c_), d(d_) {}
  [[nodiscard]] double seconds(double x) const override { return a + b * x + c * std::pow(x, d); }
  [[nodiscard]] double slope(double x) const override {
    return b + c * d * std::pow(std::max(x, 1e-12), d - 1);
  }
};

using Function = std::function<double(double)>;

std::vector<Measurement> measured(Function const& f, std::vector<double> const& sizes) {
  std::vector<Measurement> points;
  for (double const x : sizes) points.push_back({x, f(x)});
  return points;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("guided self-scheduling hands out a share of what is left as long as that is enough") {
    auto const guided = make_balancer({.type = "guided", .min_block = 5}, 4, 100, {});
    for (std::uint32_t w = 0; w < 4; ++w) guided->worker_joined(WorkerId{w}, {0});
    CHECK(guided->next_block(WorkerId{0}, with(100)).chunks == 25);
    CHECK(guided->next_block(WorkerId{1}, with(75)).chunks == 19);
    CHECK(guided->next_block(WorkerId{2}, with(8)).chunks == 5);
    CHECK(guided->next_block(WorkerId{3}, with(3)).chunks == 3);
  }

  TEST_CASE("greedy blocks have one size but the last") {
    auto const greedy = make_balancer({.type = "greedy", .fixed_block = 0.1}, 1, 95, {});
    greedy->worker_joined(WorkerId{0}, {0});
    CHECK(greedy->next_block(WorkerId{0}, with(95)).chunks == 10);
    CHECK(greedy->next_block(WorkerId{0}, with(4)).chunks == 4);
  }

  TEST_CASE("HDSS learns the ratio of speeds in its adaptive phase and shares what is left by it") {
    testing::LoopSetup const setup({1}, {.chunks = 10000, .work = 1e9},
                                   {CostCurve{.rate = 1e10}, CostCurve{.rate = 4e10}});
    DataParallelOutcome const outcome = setup.run("hdss");
    auto const first = std::find_if(outcome.blocks.begin(), outcome.blocks.end(),
                                    [](auto const& b) { return b.phase == BalancePhase::final; });
    REQUIRE(first != outcome.blocks.end());
    // A block of the completion phase is half of its worker's share of what is left.
    std::int64_t left = 10000;
    for (auto block = outcome.blocks.begin(); block != first; ++block) left -= block->chunks;
    double const share = first->worker == WorkerId{1} ? 0.8 : 0.2;
    CHECK(2 * static_cast<double>(first->chunks) ==
          doctest::Approx(share * static_cast<double>(left)).epsilon(0.01));
    // Rounds end together: no block of the completion phase starts before all adaptive blocks have ended.
    for (auto const& block : outcome.blocks)
      if (block.phase == BalancePhase::initial) CHECK(block.end <= first->start);
  }

  TEST_CASE("an unknown balancer is refused") {
    CHECK_THROWS_AS(make_balancer({.type = "best"}, 1, 1, {}), std::out_of_range);
  }

  TEST_CASE("two lines are solved as by hand") {
    PowerTime const fast(1, 2, 0, 1), slow(0, 6, 0, 1);
    EqualTimeSolver solver;
    // 1 + 2 x = 6 (10 - x)
    EqualTimeSolution const s = solver.solve(std::vector<EqualTimeWorker>{{&fast, 0}, {&slow, 0}}, 10);
    CHECK(s.by_ipopt);
    CHECK(s.size[0] == doctest::Approx(59.0 / 8).epsilon(1e-7));
    CHECK(s.size[1] == doctest::Approx(21.0 / 8).epsilon(1e-7));
    CHECK(s.end == doctest::Approx(63.0 / 4).epsilon(1e-7));
  }

  TEST_CASE("a worker that is free later gets less and one that is free too late nothing") {
    PowerTime const time(0, 1, 0, 1);
    EqualTimeSolver solver;
    EqualTimeSolution const s =
        solver.solve(std::vector<EqualTimeWorker>{{&time, 5}, {&time, 2}, {&time, 100}}, 10);
    CHECK(s.size[0] == doctest::Approx(3.5).epsilon(1e-7));
    CHECK(s.size[1] == doctest::Approx(6.5).epsilon(1e-7));
    CHECK(s.size[2] == 0);
  }

  TEST_CASE("one size makes a line through the origin and two a line") {
    CHECK(FittedCurve::fit(measured([](double x) { return 5 * x; }, {0.01})).seconds(0.1) ==
          doctest::Approx(0.5).epsilon(1e-9));
    FittedCurve const line = FittedCurve::fit(measured([](double x) { return 1 + 5 * x; }, {0.01, 0.02}));
    CHECK(line.seconds(0.04) == doctest::Approx(1.2).epsilon(1e-9));
    CHECK(line.terms() == "1, x");
  }

  TEST_CASE("a line whose constant would be negative goes through the origin") {
    FittedCurve const curve =
        FittedCurve::fit(measured([](double x) { return 5 * x - 0.01; }, {0.01, 0.02, 0.03}));
    CHECK(curve.terms() == "x");
  }

  TEST_CASE("functions of the seven terms are found again from six points") {
    std::vector<Function> const functions = {
        [](double x) { return 1 + 3 * x * x; }, [](double x) { return 0.2 + 7 * x; },
        [](double x) { return 2 * x + 5 * x * x * x; }, [](double x) { return 0.5 * x * std::exp(x) + x; }};
    for (Function const& f : functions) {
      FittedCurve const curve = FittedCurve::fit(measured(f, {0.01, 0.02, 0.04, 0.08, 0.16, 0.32}));
      CAPTURE(curve.terms());
      for (double const x : {0.015, 0.1, 0.3}) CHECK(curve.seconds(x) == doctest::Approx(f(x)).epsilon(0.01));
    }
  }

  TEST_CASE("transfers are a line with neither part below zero") {
    LinearTransfer const g =
        LinearTransfer::fit(measured([](double x) { return 0.1 + 2 * x; }, {0.1, 0.2, 0.4}));
    CHECK(g.seconds(0.3) == doctest::Approx(0.7).epsilon(1e-9));
    LinearTransfer const falling =
        LinearTransfer::fit(measured([](double x) { return 1 - x; }, {0.1, 0.2, 0.4}));
    CHECK(falling.slope() >= 0);
    CHECK(falling.seconds(0) >= 0);
    CHECK(LinearTransfer::fit(measured([](double) { return 0; }, {0.1, 0.2})).seconds(0.5) == 0);
  }

  TEST_CASE("a worker that slows down has its whole curve stretched by the first block that shows it") {
    UnitModel model;
    auto const f = [](double x) { return 0.1 + 10 * x; };
    for (double const x : {0.01, 0.02, 0.04, 0.08, 0.05}) model.add(x, f(x), 0), model.refit();
    CHECK(model.seconds(0.06) == doctest::Approx(f(0.06)).epsilon(1e-6));
    model.add(0.05, 2 * f(0.05), 0), model.refit();
    CHECK(model.seconds(0.06) == doctest::Approx(2 * f(0.06)).epsilon(0.02));
    CHECK(model.seconds(0.02) == doctest::Approx(2 * f(0.02)).epsilon(0.02));
  }
}

TEST_SUITE("property") {
  TEST_CASE("the static optimum is the least makespan of whole chunks") {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      std::vector<TrueBlockTime> times;
      for (int w = 0; w < 3; ++w) {
        // A startup makes one block the best way to do any number of chunks.
        double const startup = testing::uniform_between(random, 0, 2),
                     each = testing::uniform_between(random, 0.1, 5);
        times.push_back([=](std::int64_t chunks) { return startup + each * static_cast<double>(chunks); });
      }
      auto const chunks = static_cast<std::int64_t>(1 + random() % 25);
      StaticOptimum const optimum = static_optimum(times, chunks);
      CHECK(optimum.makespan.value == doctest::Approx(brute_force(times, 0, chunks)).epsilon(1e-12));
      std::int64_t sum = 0;
      for (auto const& blocks : optimum.blocks) sum = std::accumulate(blocks.begin(), blocks.end(), sum);
      CHECK(sum == chunks);
    }
  }

  TEST_CASE("block sizes solve random systems of equal times to 1e-6 by interior point as by bracketing") {
    EqualTimeSolver solver;
    std::uint32_t systems = 0;
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      std::vector<PowerTime> times;
      std::vector<EqualTimeWorker> workers;
      std::size_t const count = 1 + random() % 30;
      for (std::size_t p = 0; p < count; ++p) {
        double const speed = std::pow(100, testing::uniform_between(random, 0, 1));
        times.emplace_back(testing::uniform_between(random, 0, 0.05), 1 / speed,
                           testing::uniform_between(random, 0, 1) / speed,
                           testing::uniform_between(random, 0.5, 2));
      }
      for (PowerTime const& time : times)
        workers.push_back({&time, testing::uniform_between(random, 0, 0.02)});
      double const work = testing::uniform_between(random, 0.01, 1);
      EqualTimeSolution const s = solver.solve(workers, work);
      CHECK(std::accumulate(s.size.begin(), s.size.end(), 0.0) == doctest::Approx(work).epsilon(1e-6));
      for (std::size_t p = 0; p < count; ++p)
        if (s.size[p] > 0)
          CHECK(std::abs(workers[p].free_at + times[p].seconds(s.size[p]) - s.end) <= 1e-6 * s.end);
        else
          CHECK(workers[p].free_at + times[p].seconds(0) >= s.end * (1 - 1e-6));
      EqualTimeSolution const bracketed = equal_time_by_bracketing(workers, work);
      CHECK(bracketed.end == doctest::Approx(s.end).epsilon(1e-5));
      ++systems;
    }
    CHECK(solver.solved_by_ipopt() + solver.solved_by_bracketing() == systems);
    CHECK(solver.largest_residual() <= EqualTimeSolver::tolerance);
    MESSAGE(solver.solved_by_ipopt() << " of " << systems << " systems by Ipopt, largest residual "
                                     << solver.largest_residual());
    CHECK(solver.solved_by_ipopt() >= systems * 95 / 100);
  }

  TEST_CASE("fits of noisy measurements grow everywhere and stay within bounds at twice the largest size") {
    double worst = 0;
    for (std::uint32_t seed = 1; seed <= 500; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      double const constant = testing::uniform_between(random, 0, 0.5);
      double const power = testing::uniform_between(random, 0.8, 1.3);
      auto const f = [&](double x) { return constant + 10 * std::pow(x, power); };
      std::vector<Measurement> points;
      std::size_t const count = 1 + random() % 12;
      double x = 0.002;
      for (std::size_t i = 0; i < count; ++i, x *= testing::uniform_between(random, 1.1, 2))
        points.push_back({x, f(x) * lognormal_factor(0.05, uniform(seed, RandomStream::block, i))});
      FittedCurve const curve = FittedCurve::fit(points);
      CAPTURE(curve.terms());
      double before = 0;
      for (double at = 1e-4; at < 8 * curve.largest(); at *= 1.1) {
        CHECK(curve.seconds(at) > before);
        CHECK(curve.slope(at) > 0);
        before = curve.seconds(at);
      }
      CHECK(curve.seconds(0) >= 0);
      double const far = 2 * curve.largest();
      double const wrong = std::max(curve.seconds(far) / f(far), f(far) / curve.seconds(far));
      worst = std::max(worst, wrong);
      // One size does not determine the startup time, and noise dominates where sizes are close.
      CHECK(wrong <= 2.3);
    }
    MESSAGE("worst factor at twice the largest size: " << worst);
  }
}
