#include "simulator/core/sample_summary.hpp"

#include <algorithm>
#include <cmath>

namespace factosim {

namespace {

double quantile(std::vector<double> const& sorted, double fraction) {
  double const place = fraction * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  std::size_t const above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

SampleSummary summarize(std::vector<double> values) {
  SampleSummary s;
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  s.count = values.size();
  auto const count = static_cast<double>(s.count);
  // Sums of differences from one of the values: equal values have a mean that is the value, deviation 0.
  double differences = 0;
  for (double const v : values) differences += v - values.front();
  s.mean = values.front() + differences / count;
  s.sum = s.mean * count;
  double squares = 0;
  for (double const v : values) squares += (v - s.mean) * (v - s.mean);
  s.deviation = std::sqrt(squares / count);
  s.minimum = values.front();
  s.lower_quartile = quantile(values, 0.25);
  s.median = quantile(values, 0.5);
  s.upper_quartile = quantile(values, 0.75);
  s.maximum = values.back();
  // Equal values may differ in their last bit (ends minus starts): those are no outliers.
  double const limit = s.outlier_limit() + 1e-9 * std::abs(s.mean);
  for (double const v : values) {
    if (v <= limit) continue;
    ++s.outliers;
    s.outliers_sum += v;
  }
  return s;
}

}  // namespace factosim
