#include "simulator/base/core/sample.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a line has the least squares, goes through points of a line, and needs two places") {
    std::vector<std::pair<double, double>> points{{1e6, 5}, {2e6, 7}, {4e6, 11}};
    CHECK(line_through(points)->slope == doctest::Approx(2e-6).epsilon(1e-14));
    CHECK(line_through(points)->at_zero == doctest::Approx(3).epsilon(1e-14));
    points = {{0, 1}, {1, 0}, {2, 2}, {3, 3}};  // slope 4 / 5 from the normal equations
    CHECK(line_through(points)->slope == doctest::Approx(0.8).epsilon(1e-14));
    CHECK(line_through(points)->at_zero == doctest::Approx(0.3).epsilon(1e-14));
    CHECK_FALSE(line_through(std::vector<std::pair<double, double>>{{7, 1}, {7, 2}}).has_value());
  }

  TEST_CASE("a confidence interval is Student's") {
    // t(0.975) of 1 and 4 degrees of freedom, from printed tables: 12.7062, 2.7764.
    Spread const two = spread_of({1, 3});
    CHECK(two.mean == doctest::Approx(2));
    CHECK(two.deviation == doctest::Approx(std::sqrt(2.0)));
    CHECK(two.ci95_high - two.mean == doctest::Approx(12.7062).epsilon(1e-5));
    CHECK(student_quantile(2) == doctest::Approx(12.7062).epsilon(1e-5));
    CHECK(student_tail(12.7062, 1) == doctest::Approx(0.025).epsilon(1e-5));
    CHECK(student_tail(2.1318, 4) == doctest::Approx(0.05).epsilon(1e-4));  // Student's table
    Spread const five = spread_of({1, 2, 3, 4, 5});
    CHECK(five.deviation == doctest::Approx(std::sqrt(2.5)));
    CHECK(five.mean - five.ci95_low == doctest::Approx(2.7764 * std::sqrt(2.5 / 5)).epsilon(1e-4));
    CHECK(five.values == std::vector<double>{1, 2, 3, 4, 5});
  }

  TEST_CASE("outliers follow StarVZ's rule and quantiles are R's") {
    // quantile(c(1, 2, 3, 4, 10)) in R: 1 2 3 4 10; the limit is 4 + 1.5 * 2.
    SampleSummary const s = summarize({10, 1, 4, 2, 3});
    CHECK(s.lower_quartile == 2);
    CHECK(s.upper_quartile == 4);
    CHECK(s.outlier_limit() == 7);
    CHECK(s.outliers == 1);
    CHECK(s.outliers_sum == 10);
    CHECK(s.mean == 4);
    CHECK(s.deviation == doctest::Approx(std::sqrt(10.0)));
    // quantile(c(1, 2, 3, 4), 0.25) in R: 1.75
    CHECK(summarize({1, 2, 3, 4}).lower_quartile == 1.75);
    CHECK(summarize({2, 2, 2}).deviation == 0);
    CHECK(summarize({}).count == 0);
  }

  TEST_CASE("the median of an even number of values is the mean of the two in the middle") {
    CHECK(median(std::vector<double>{1, 2, 9}) == 2);
    CHECK(median(std::vector<double>{1, 2, 5, 9}) == 3.5);
  }

  TEST_CASE("the deviation of values far from 0 is exact") {
    // The mean of squares minus the square of the mean has no correct digit here.
    std::vector<double> const values{1e9 + 1, 1e9 + 2, 1e9 + 3};
    CHECK(moments(values).deviation() == 1);
    CHECK(moments(values).population_deviation() == doctest::Approx(std::sqrt(2.0 / 3)).epsilon(1e-15));
  }
}
