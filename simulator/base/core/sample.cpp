#include "simulator/base/core/sample.hpp"

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

std::optional<StraightLine> line_through(std::span<std::pair<double, double> const> points) {
  double mean_x = 0, mean_y = 0, squares = 0, products = 0;
  for (auto const& [x, y] : points) mean_x += x, mean_y += y;
  mean_x /= static_cast<double>(points.size()), mean_y /= static_cast<double>(points.size());
  for (auto const& [x, y] : points)
    squares += (x - mean_x) * (x - mean_x), products += (x - mean_x) * (y - mean_y);
  auto const same = [&](auto const& point) { return point.first == points.front().first; };
  if (std::all_of(points.begin(), points.end(), same)) return std::nullopt;
  double const slope = products / squares;
  return StraightLine{.at_zero = mean_y - slope * mean_x, .slope = slope};
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

double student_tail(double t, double freedom) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

namespace {

/// Returns half the width of the interval that holds a value with that probability.
double half_width(double variance, double freedom, double probability) {
  if (variance == 0) return 0;
  boost::math::students_t const distribution(freedom);
  return boost::math::quantile(distribution, 1 - (1 - probability) / 2) * std::sqrt(variance);
}

/// A part of a variance with its own degrees of freedom.
struct VariancePart {
  double variance, freedom;
};

/// Degrees of freedom of the sum: Satterthwaite 1946.
double freedom_of_sum(VariancePart const& a, VariancePart const& b) {
  double const sum = a.variance + b.variance;
  return sum * sum / (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
}

double half_width(VariancePart const& a, VariancePart const& b, double probability) {
  double const sum = a.variance + b.variance;
  return sum == 0 ? 0 : half_width(sum, freedom_of_sum(a, b), probability);
}

/// Variance of one further value around the mean of a sample.
VariancePart of_next_value(Moments const& m) {
  auto const n = static_cast<double>(m.count);
  return {m.deviation() * m.deviation() * (1 + 1 / n), n - 1};
}

}  // namespace

double prediction_half_width(Moments const& replicas, double probability, RunDeviation const& of_runs) {
  FACTOSIM_EXPECT(probability > 0 && probability < 1, "a probability lies between 0 and 1");
  auto const n = static_cast<double>(replicas.count);
  double const all = replicas.deviation() * replicas.deviation();
  double const of_run = std::pow(of_runs.relative * replicas.mean, 2);
  return half_width({of_run * (1 + 1.0 / of_runs.runs), static_cast<double>(of_runs.degrees_of_freedom)},
                    {std::max(0.0, all - of_run) + all / n, n - 1}, probability);
}

double difference_half_width(Moments const& a, Moments const& b, double probability) {
  return half_width(of_next_value(a), of_next_value(b), probability);
}

double difference_half_width(RunDeviation const& of_runs, double probability) {
  return half_width(2 * of_runs.relative * of_runs.relative, static_cast<double>(of_runs.degrees_of_freedom),
                    probability);
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

double relative_reach(Spread const& spread, double value) {
  return value == 0 ? 0 : std::max(spread.prediction_high - value, value - spread.prediction_low) / value;
}

}  // namespace factosim
