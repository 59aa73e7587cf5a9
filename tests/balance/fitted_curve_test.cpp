// Curves fitted to few measurements, and what they say beyond them.

#include "simulator/experiments/balance/fitted_curve.hpp"

#include "simulator/experiments/balance/unit_model.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "tests/loops/loop_setups.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

using Function = std::function<double(double)>;

std::vector<Measurement> measured(Function const& f, std::vector<double> const& sizes) {
  std::vector<Measurement> points;
  for (double const x : sizes) points.push_back({x, f(x)});
  return points;
}

}  // namespace

TEST_SUITE("unit") {
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
