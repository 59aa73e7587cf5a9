#include "factosim/spread.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a confidence interval is Student's") {
    // t(0.975) of 1 and 4 degrees of freedom, from printed tables: 12.7062, 2.7764.
    Spread const two = spread_of({1, 3});
    CHECK(two.mean == doctest::Approx(2));
    CHECK(two.deviation == doctest::Approx(std::sqrt(2.0)));
    CHECK(two.ci95_high - two.mean == doctest::Approx(12.7062).epsilon(1e-5));
    CHECK(student_quantile(2) == doctest::Approx(12.7062).epsilon(1e-5));
    Spread const five = spread_of({1, 2, 3, 4, 5});
    CHECK(five.deviation == doctest::Approx(std::sqrt(2.5)));
    CHECK(five.mean - five.ci95_low == doctest::Approx(2.7764 * std::sqrt(2.5 / 5)).epsilon(1e-4));
    CHECK(five.values == std::vector<double>{1, 2, 3, 4, 5});
  }

  TEST_CASE("equal values have no spread") {
    Spread const s = spread_of({0.1, 0.1, 0.1});
    CHECK(s.mean == 0.1);
    CHECK(s.deviation == 0);
    CHECK(s.ci95_low == 0.1);
    CHECK(s.ci95_high == 0.1);
  }
}
