#pragma once

#include <cstddef>
#include <vector>

namespace factosim {

/// Values of independent replicas, and what they say about the mean of all replicas there could be.
struct Spread {
  double mean = 0;
  double deviation = 0;                // of one value, as estimated from these
  double ci95_low = 0, ci95_high = 0;  // Student's 95 % confidence interval of the mean
  std::vector<double> values;
};

/// Half the width of the 95 % confidence interval of the mean of `count` >= 2 values, in standard errors.
[[nodiscard]] double student_quantile(std::size_t count);

/// Of two values at least.
[[nodiscard]] Spread spread_of(std::vector<double> values);

}  // namespace factosim
