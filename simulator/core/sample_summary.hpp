#pragma once

#include <cstddef>
#include <vector>

namespace factosim {

/// What a number of measured values have in common; all 0 of none.
struct SampleSummary {
  std::size_t count = 0;
  double sum = 0, mean = 0;
  double deviation = 0;  // of the values themselves (divided by their number), as StarPU's models keep it
  double minimum = 0, lower_quartile = 0, median = 0, upper_quartile = 0, maximum = 0;
  /// Values above upper quartile + 1.5 (upper - lower quartile), the rule of StarVZ, and their sum.
  std::size_t outliers = 0;
  double outliers_sum = 0;

  [[nodiscard]] double outlier_limit() const {
    return upper_quartile + 1.5 * (upper_quartile - lower_quartile);
  }
};

/// Quantiles between two values are interpolated as R does by default (type 7). O(n log n).
[[nodiscard]] SampleSummary summarize(std::vector<double> values);

}  // namespace factosim
