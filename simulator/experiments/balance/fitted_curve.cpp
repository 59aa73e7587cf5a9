#include "simulator/experiments/balance/fitted_curve.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "factosim/error.hpp"

namespace factosim {

namespace {

using Points = std::span<Measurement const>;
using Coefficients = std::array<double, FittedCurve::term_count>;
constexpr std::size_t constant = 0, linear = 2;
constexpr int max_points = FittedCurve::max_points, max_terms = 3;  // fixed sizes: no allocation
// Sizes that differ by less count as one.
constexpr double same_size = 0.01;
// Limits of the slope at the largest size relative to the mean slope up to it: from almost no growth to
// sixfold growth when the size triples.
constexpr double min_slope = 0.02, largest_slope = 2;
// Mean relative error below which a fit counts as perfect: more terms would not improve it.
constexpr double perfect = 1e-3;

struct Term {
  char const* name;
  double (*value)(double x);
  double (*slope)(double x);
};
constexpr std::array<Term, FittedCurve::term_count> all_terms{
    {{"1", [](double) { return 1.0; }, [](double) { return 0.0; }},
     {"ln x", [](double x) { return std::log(x); }, [](double x) { return 1 / x; }},
     {"x", [](double x) { return x; }, [](double) { return 1.0; }},
     {"x^2", [](double x) { return x * x; }, [](double x) { return 2 * x; }},
     {"x^3", [](double x) { return x * x * x; }, [](double x) { return 3 * x * x; }},
     {"e^x", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }},
     {"x e^x", [](double x) { return x * std::exp(x); }, [](double x) { return (1 + x) * std::exp(x); }},
     {"x ln x", [](double x) { return x * std::log(x); }, [](double x) { return std::log(x) + 1; }}}};

struct LeastSquares {
  Coefficients coefficient{};
  double squares = 0;  // sum of squared relative errors
};

/// Minimizes relative errors. Returns nothing if the terms are linearly dependent on these points.
std::optional<LeastSquares> least_squares(Points points, std::span<std::size_t const> terms) {
  auto const rows = static_cast<Eigen::Index>(points.size());
  auto const columns = static_cast<Eigen::Index>(terms.size());
  using Matrix =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, max_points, max_terms>;
  using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_points>;
  Matrix a(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    Measurement const& m = points[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < columns; ++j)
      a(i, j) = all_terms[terms[static_cast<std::size_t>(j)]].value(m.size) / m.seconds;
  }
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_terms> const scale =
      a.colwise().norm().transpose().cwiseInverse();
  if (!scale.allFinite()) return std::nullopt;
  Eigen::ColPivHouseholderQR<Matrix> qr(a * scale.asDiagonal());
  qr.setThreshold(1e-7);
  if (qr.rank() < columns) return std::nullopt;
  Column const one = Column::Ones(rows);
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_terms> const solution =
      scale.asDiagonal() * qr.solve(one);
  LeastSquares out;
  out.squares = (a * solution - one).squaredNorm();
  for (Eigen::Index j = 0; j < columns; ++j)
    out.coefficient[terms[static_cast<std::size_t>(j)]] = solution(j);
  return out;
}

/// Akaike criterion with the correction for few points (Hurvich and Tsai, Biometrika 76(2), 1989).
/// Requires n > terms + 2.
double corrected_akaike(double squares, std::size_t points, std::size_t terms) {
  auto const n = static_cast<double>(points);
  auto const k = static_cast<double>(terms) + 1;  // the variance is a parameter too
  double const variance = std::max(squares / n, perfect * perfect);
  return n * std::log(variance) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

std::size_t distinct_sizes(Points points) {
  std::vector<double> sizes;
  for (Measurement const& m : points) sizes.push_back(m.size);
  std::sort(sizes.begin(), sizes.end());
  std::size_t count = 1;
  double last = sizes.front();
  for (double const size : sizes)
    if (size > last * (1 + same_size)) ++count, last = size;
  return count;
}

/// The sum of squares is minimal for a = sum(w x t) / sum(w x^2) with w = 1 / t^2.
double proportional(Points points) {
  double above = 0, below = 0;
  for (Measurement const& m : points) {
    double const x = m.size / m.seconds;
    above += x;
    below += x * x;
  }
  return above / below;
}

/// Fits a line without a negative constant. If noise makes larger blocks faster, takes half of the mean time
/// as constant and half as proportional to the size; the error is then at most a half when sizes double.
Coefficients line(Points points) {
  Coefficients out{};
  auto const fit = least_squares(points, std::array{constant, linear});
  if (fit && fit->coefficient[linear] <= 0) {
    double size = 0, seconds = 0;
    for (Measurement const& m : points) size += m.size, seconds += m.seconds;
    out[constant] = seconds / static_cast<double>(points.size()) / 2;
    out[linear] = seconds / size / 2;
  } else if (fit && fit->coefficient[constant] >= 0) {
    out = fit->coefficient;
  } else {
    out[linear] = proportional(points);
  }
  return out;
}

/// All pairs of terms, without and with the constant.
template <class Use>
void for_each_choice(Use const& use) {
  for (std::size_t i = 0; i < FittedCurve::term_count; ++i)
    for (std::size_t j = i + 1; j < FittedCurve::term_count; ++j) {
      use(std::span<std::size_t const>(std::array{i, j}));
      if (i != constant) use(std::span<std::size_t const>(std::array{constant, i, j}));
    }
}

}  // namespace

double FittedCurve::value_within(double x) const {
  double sum = 0;
  for (std::size_t k = 0; k < term_count; ++k)
    if (coefficient_[k] != 0) sum += coefficient_[k] * all_terms[k].value(x);
  return sum;
}

double FittedCurve::slope_within(double x) const {
  double sum = 0;
  for (std::size_t k = 0; k < term_count; ++k)
    if (coefficient_[k] != 0) sum += coefficient_[k] * all_terms[k].slope(x);
  return sum;
}

/// Returns true if the curve is positive and increasing between all measurements, and its slope at the end is
/// within the limits.
bool FittedCurve::is_sane() const {
  constexpr int probes = 24;
  for (int i = 0; i <= probes; ++i) {
    double const x = low_ * std::pow(high_ / low_, static_cast<double>(i) / probes);
    if (!(value_within(x) > 0) || !(slope_within(x) > 0)) return false;
  }
  double const relative = slope_within(high_) * high_ / value_within(high_);
  return relative >= min_slope && relative <= largest_slope;
}

void FittedCurve::set_ends() {
  low_seconds_ = value_within(low_);
  high_seconds_ = value_within(high_);
  // From the smallest size down to a time >= 0 at size 0.
  low_slope_ = std::clamp(slope_within(low_), min_slope * low_seconds_ / low_, low_seconds_ / low_);
  double const mean = high_seconds_ / high_;
  high_slope_ = std::clamp(slope_within(high_), min_slope * mean, largest_slope * mean);
}

FittedCurve FittedCurve::fit(Points points) {
  FACTOSIM_ALWAYS(!points.empty() && points.size() <= max_points, "a curve of some measurements");
  FittedCurve best;
  auto const [low, high] = std::minmax_element(points.begin(), points.end(),
                                               [](auto const& a, auto const& b) { return a.size < b.size; });
  best.low_ = low->size;
  best.high_ = high->size;
  std::size_t const sizes = distinct_sizes(points);
  if (sizes == 1)
    best.coefficient_[linear] = proportional(points);
  else
    best.coefficient_ = line(points);

  if (sizes > 3) {
    double minimum = std::numeric_limits<double>::infinity();
    FittedCurve candidate = best;
    for_each_choice([&](std::span<std::size_t const> terms) {
      if (terms.size() + 2 > sizes) return;
      auto const fit = least_squares(points, terms);
      if (!fit) return;
      double const criterion = corrected_akaike(fit->squares, points.size(), terms.size());
      candidate.coefficient_ = fit->coefficient;
      if (!(criterion < minimum) || !candidate.is_sane()) return;
      minimum = criterion;
      best = candidate;
    });
  }
  best.set_ends();
  return best;
}

double FittedCurve::seconds(double size) const {
  if (size < low_) return low_seconds_ - low_slope_ * (low_ - size);
  if (size > high_) return high_seconds_ + high_slope_ * (size - high_);
  return value_within(size);
}

double FittedCurve::slope(double size) const {
  if (size < low_) return low_slope_;
  if (size > high_) return high_slope_;
  return slope_within(size);
}

std::string FittedCurve::terms() const {
  std::string out;
  for (std::size_t k = 0; k < term_count; ++k)
    if (coefficient_[k] != 0) out += (out.empty() ? "" : ", ") + std::string(all_terms[k].name);
  return out;
}

LinearTransfer LinearTransfer::fit(Points points) {
  LinearTransfer out;
  std::vector<Measurement> timed;
  for (Measurement const& m : points)
    if (m.seconds > 0) timed.push_back(m);
  if (timed.empty()) return out;
  bool const is_line = distinct_sizes(timed) > 1;
  Coefficients const coefficient = is_line ? line(timed) : Coefficients{};
  out.constant_ = coefficient[constant];
  out.slope_ = is_line ? coefficient[linear] : proportional(timed);
  return out;
}

}  // namespace factosim
