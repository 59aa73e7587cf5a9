#pragma once

#include <vector>

namespace factosim {

/// Statistics of independent replicas.
struct Spread {
  double mean = 0;
  double deviation = 0;                            // estimated standard deviation of one value
  double ci95_low = 0, ci95_high = 0;              // Student's 95 % confidence interval of the mean
  double prediction_low = 0, prediction_high = 0;  // interval for the value of one further run
  std::vector<double> values;
};

}  // namespace factosim
