#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "simulator/experiments/balance/block_time.hpp"

namespace factosim {

/// Duration of a block of that size, a fraction of all work in ]0, 1].
struct Measurement {
  double size = 0;
  double seconds = 0;
};

/// F(x) = a_1 f_1(x) + ... of the PLB-HAC slides: computing time by least squares over ln x, x, x^2, x^3,
/// e^x, x e^x and x ln x, and a constant, which a line through two points needs.
///
/// An unconstrained fit of few points extrapolates badly. Therefore:
///  - one size: a line through the origin; two and three: a line, without a negative constant;
///  - four sizes and more: the two or three terms with the lowest corrected Akaike criterion, among those that
///    are positive and increasing over all measurements;
///  - outside the measured sizes the curve continues along its tangents, whose slopes are limited, and never
///    falls below zero.
///
/// Errors are relative to the times, since sizes differ by orders of magnitude.
class FittedCurve final : public BlockTime {
 public:
  static constexpr std::size_t term_count = 8;  // 1, ln x, x, x^2, x^3, e^x, x e^x, x ln x

  static constexpr std::size_t max_points = 32;

  /// `points`: 1 to `max_points` measurements with times > 0.
  [[nodiscard]] static FittedCurve fit(std::span<Measurement const> points);

  [[nodiscard]] double seconds(double size) const override;
  [[nodiscard]] double slope(double size) const override;

  /// Smallest and largest measured size.
  [[nodiscard]] double smallest() const { return low_; }
  [[nodiscard]] double largest() const { return high_; }
  /// Returns the terms, such as "1, x ln x".
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

/// G(x) = a_1 x + a_2 with a_1, a_2 >= 0: the time of a block's transfers.
class LinearTransfer {
 public:
  LinearTransfer() = default;
  /// Fits by least squares of relative errors. Without measurements of a positive time: 0.
  [[nodiscard]] static LinearTransfer fit(std::span<Measurement const> points);

  [[nodiscard]] double seconds(double size) const { return constant_ + slope_ * size; }
  [[nodiscard]] double slope() const { return slope_; }

 private:
  double constant_ = 0, slope_ = 0;
};

}  // namespace factosim
