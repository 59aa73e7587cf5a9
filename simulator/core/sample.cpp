#include "simulator/core/sample.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

double Moments::population_deviation() const {
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

double Moments::deviation() const {
  FACTOSIM_EXPECT(count >= 2, "an estimated deviation needs two values");
  return std::sqrt(squares / static_cast<double>(count - 1));
}

Moments moments(std::span<double const> values) {
  Moments m{.count = values.size()};
  if (values.empty()) return m;
  double differences = 0;
  for (double const v : values) differences += v - values.front();
  m.mean = values.front() + differences / static_cast<double>(m.count);
  for (double const v : values) m.squares += (v - m.mean) * (v - m.mean);
  return m;
}

double quantile(std::span<double const> sorted, double fraction) {
  FACTOSIM_EXPECT(!sorted.empty(), "a quantile needs a value");
  double const place = fraction * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  std::size_t const above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::span<double const> sorted) {
  FACTOSIM_EXPECT(!sorted.empty(), "a median needs a value");
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

SampleSummary summarize(std::vector<double> values) {
  SampleSummary s;
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  Moments const m = moments(values);
  s.count = m.count;
  s.mean = m.mean;
  s.sum = m.mean * static_cast<double>(m.count);
  s.deviation = m.population_deviation();
  s.minimum = values.front();
  s.lower_quartile = quantile(values, 0.25);
  s.median = factosim::median(values);
  s.upper_quartile = quantile(values, 0.75);
  s.maximum = values.back();
  // Equal durations may differ in their last bit, since they are ends minus starts: these are no outliers.
  double const limit = s.outlier_limit() + 1e-9 * std::abs(s.mean);
  for (double const v : values) {
    if (v <= limit) continue;
    ++s.outliers;
    s.outliers_sum += v;
  }
  return s;
}

double student_quantile(std::size_t count) {
  FACTOSIM_EXPECT(count >= 2, "a confidence interval needs two values");
  return boost::math::quantile(boost::math::students_t(static_cast<double>(count) - 1), 0.975);
}

double prediction_half_width(Moments const& replicas, double probability, RunDeviation const& of_runs) {
  FACTOSIM_EXPECT(probability > 0 && probability < 1, "a probability lies between 0 and 1");
  auto const n = static_cast<double>(replicas.count);
  double const all = replicas.deviation() * replicas.deviation();
  double const of_run = std::pow(of_runs.relative * replicas.mean, 2);
  double const calibrated = of_run * (1 + 1.0 / of_runs.runs);
  double const simulated = std::max(0.0, all - of_run) + all / n;
  double const variance = calibrated + simulated;
  if (variance == 0) return 0;
  double const freedom =
      variance * variance /
      (calibrated * calibrated / of_runs.degrees_of_freedom + simulated * simulated / (n - 1));
  double const quantile =
      boost::math::quantile(boost::math::students_t(freedom), 1 - (1 - probability) / 2);
  return quantile * std::sqrt(variance);
}

Spread spread_of(std::vector<double> values, double probability, RunDeviation const& of_runs) {
  Moments const m = moments(values);
  Spread s;
  s.mean = m.mean;
  s.deviation = m.deviation();
  double const half_width = student_quantile(m.count) * s.deviation / std::sqrt(static_cast<double>(m.count));
  s.ci95_low = s.mean - half_width;
  s.ci95_high = s.mean + half_width;
  double const of_one = prediction_half_width(m, probability, of_runs);
  s.prediction_low = s.mean - of_one;
  s.prediction_high = s.mean + of_one;
  s.values = std::move(values);
  return s;
}

}  // namespace factosim
