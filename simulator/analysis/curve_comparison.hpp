#pragma once

#include <string>
#include <utility>
#include <vector>

#include "simulator/analysis/curves.hpp"

namespace factosim {

/// A difference that may be the other way round in single runs.
struct IndistinctPoint {
  double x = 0;
  double difference = 0;  // of the means, relative to the baseline's
  double within = 0;      // half the width of the interval of the difference of two runs, likewise
};

/// Intervals in which one curve is better than the baseline.
struct CurveComparison {
  std::string name, baseline;
  std::vector<std::pair<double, double>> ratios;  // x, and metric over the baseline's
  std::vector<std::pair<double, double>> better;  // intervals of x (first, last), increasing
  std::vector<IndistinctPoint> indistinct;  // of `better`, by x: where replicas cannot tell two runs apart
  bool sure = true;  // in `better` the 95 % confidence intervals do not overlap, or none are known

  /// "1d1d beats block-cyclic from 18 nodes on"
  [[nodiscard]] std::string description(std::string const& x) const;
};

/// Returns true if higher values of the metric are better: rates and shares.
[[nodiscard]] bool more_is_better(std::string const& metric);

/// Compares every other curve of the chart with the one called `baseline`, at each x where both have a
/// value. Ties are not better. Returns nothing if the chart has no such curve.
[[nodiscard]] std::vector<CurveComparison> compare_curves(CurveChart const& chart,
                                                          std::string const& baseline,
                                                          std::string const& metric);

}  // namespace factosim
