#pragma once

#include <cstddef>
#include <span>
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

/// Returns half the width of the 95 % confidence interval of the mean of `count` values, in standard errors.
/// Needs two values.
[[nodiscard]] double student_quantile(std::size_t count);

/// Computes the statistics of independent replicas. Needs two values.
[[nodiscard]] Spread spread_of(std::vector<double> values);

}  // namespace factosim
