#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "factosim/spread.hpp"

namespace factosim {

// Statistics of a sample. Boost.Math has them too, but its one-pass mean of equal values can differ from the
// value in the last bit; these give exactly the value, and a deviation of 0.

/// Number, mean and standard deviations of a sample; all 0 for no values.
struct Moments {
  std::size_t count = 0;
  double mean = 0;
  double squares = 0;  // sum of squared differences from the mean

  /// Returns the deviation of these values: their number is the divisor, as in StarPU's performance models.
  [[nodiscard]] double population_deviation() const;
  /// Estimates the deviation of the distribution the values come from (divisor n - 1). Needs two values.
  [[nodiscard]] double deviation() const;
};

/// Computes the moments in two passes, relative to the first value. O(n).
[[nodiscard]] Moments moments(std::span<double const> values);

/// Returns the quantile of sorted values, interpolated as R does by default (type 7). Needs one value.
[[nodiscard]] double quantile(std::span<double const> sorted, double fraction);

/// Returns the middle of sorted values, or the mean of the two in the middle. Needs one value.
[[nodiscard]] double median(std::span<double const> sorted);

/// Moments, quartiles and outliers of a sample; all 0 for no values.
struct SampleSummary {
  std::size_t count = 0;
  double sum = 0, mean = 0;
  double deviation = 0;  // Moments::population_deviation
  double minimum = 0, lower_quartile = 0, median = 0, upper_quartile = 0, maximum = 0;
  /// Number and sum of the values above `outlier_limit`.
  std::size_t outliers = 0;
  double outliers_sum = 0;

  /// Returns the limit that StarVZ uses.
  [[nodiscard]] double outlier_limit() const {
    return upper_quartile + 1.5 * (upper_quartile - lower_quartile);
  }
};

/// O(n log n).
[[nodiscard]] SampleSummary summarize(std::vector<double> values);

/// y = at_zero + slope x.
struct StraightLine {
  double at_zero = 0, slope = 0;
};

/// Returns the line with the least sum of squared differences in y; nullopt if all x are equal. O(n).
[[nodiscard]] std::optional<StraightLine> line_through(std::span<std::pair<double, double> const> points);

/// Returns half the width of the 95 % confidence interval of the mean of `count` values, in standard errors.
/// Needs two values.
[[nodiscard]] double student_quantile(std::size_t count);

/// Returns the probability that Student's t with `freedom` degrees of freedom exceeds `t`.
[[nodiscard]] double student_tail(double t, double freedom);

/// What a calibration knows of the deviation of whole runs, relative to their mean.
struct RunDeviation {
  double relative = 0;         // 0: replicas vary as real runs do, without any error of calibration
  int runs = 1;                // real runs that the mean is estimated from
  int degrees_of_freedom = 1;  // of `relative`
};

/// Returns half the width of the interval that holds one further real run with that probability, around the
/// mean of replicas. With s and m the deviation and the mean of N replicas, without errors of calibration:
/// t(N - 1) s sqrt(1 + 1 / N) (Hahn and Meeker, Statistical Intervals, 1991, section 4.7). Where the
/// deviation b m of runs was estimated from I real runs, the variance is
/// v = (1 + 1 / I) (b m)^2 + max(0, s^2 - (b m)^2) + s^2 / N,
/// and t has Satterthwaite's degrees of freedom (Biometrics Bulletin 2, 1946), v^2 over the sum of the
/// squares of v's parts, each over its own degrees of freedom. Needs two values.
[[nodiscard]] double prediction_half_width(Moments const& replicas, double probability,
                                           RunDeviation const& of_runs = {});

/// Returns half the width of the interval that holds the difference between one further run of each with that
/// probability, around the difference of the means: as above, for the sum of both variances. Each needs two
/// values.
[[nodiscard]] double difference_half_width(Moments const& a, Moments const& b, double probability);

/// Returns half the width of the interval that holds the difference between two runs of equal means with that
/// probability, relative to the mean: t sqrt(2) times the deviation.
[[nodiscard]] double difference_half_width(RunDeviation const& of_runs, double probability);

/// Computes the statistics of independent replicas; the interval of one further run holds it with that
/// probability. Needs two values.
[[nodiscard]] Spread spread_of(std::vector<double> values, double probability = 0.95,
                               RunDeviation const& of_runs = {});

/// Returns how far the prediction interval reaches from a value, relative to it.
[[nodiscard]] double relative_reach(Spread const& spread, double value);

}  // namespace factosim
