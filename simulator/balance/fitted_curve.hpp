#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "simulator/balance/equal_time.hpp"

namespace factosim {

/// What a block of that size (a fraction of all work, in ]0, 1]) took.
struct Measurement {
  double size = 0;
  double seconds = 0;
};

/// F(x) = a_1 f_1(x) + ... of the PLB-HAC slides: computing time by least squares over ln x, x, x^2, x^3,
/// e^x, x e^x and x ln x, and a constant, which the line through two points needs.
///
/// A free fit of few points extrapolates wildly, so this one is held back:
///  - one size: a line through the origin; two and three: a line, without a negative constant;
///  - from four sizes on, the two or three terms with the least corrected Akaike criterion, among those that
///    are positive and grow over all that was measured;
///  - beyond the smallest and the largest size measured it goes on along its tangents, which lie between
///    limits, and never falls below zero.
///
/// Errors count relative to the times, since sizes differ by orders of magnitude.
class FittedCurve final : public BlockTime {
 public:
  static constexpr std::size_t term_count = 8;  // 1, ln x, x, x^2, x^3, e^x, x e^x, x ln x

  static constexpr std::size_t max_points = 32;

  /// One to `max_points` measurements; times > 0.
  [[nodiscard]] static FittedCurve fit(std::span<Measurement const> points);

  [[nodiscard]] double seconds(double size) const override;
  [[nodiscard]] double slope(double size) const override;

  /// Sizes between which it was measured.
  [[nodiscard]] double smallest() const { return low_; }
  [[nodiscard]] double largest() const { return high_; }
  /// Such as "1, x ln x".
  [[nodiscard]] std::string terms() const;

 private:
  [[nodiscard]] double value_within(double x) const;
  [[nodiscard]] double slope_within(double x) const;
  [[nodiscard]] bool is_sane() const;
  void set_ends();

  std::array<double, term_count> coefficient_{};
  double low_ = 0, high_ = 0;
  double low_seconds_ = 0, low_slope_ = 0, high_seconds_ = 0, high_slope_ = 0;
};

/// G(x) = a_1 x + a_2, with neither below zero: the time of a block's transfers.
class LinearTransfer {
 public:
  LinearTransfer() = default;
  /// By least squares of relative errors. No measurement, or none that took any time: 0.
  [[nodiscard]] static LinearTransfer fit(std::span<Measurement const> points);

  [[nodiscard]] double seconds(double size) const { return constant_ + slope_ * size; }
  [[nodiscard]] double slope() const { return slope_; }

 private:
  double constant_ = 0, slope_ = 0;
};

}  // namespace factosim
