#pragma once

#include <boost/math/tools/roots.hpp>
#include <cstdint>

namespace factosim {

/// Returns the root of an increasing function between `low` and `high`, or the end that is nearest to it.
/// Source: Alefeld, Potra, Shi, ACM TOMS 21(3), 1995 (algorithm 748), as implemented by Boost.Math.
template <class Function>
double increasing_root(Function const& f, double low, double high) {
  double const at_low = f(low), at_high = f(high);
  if (at_low >= 0) return low;  // by rounding
  if (at_high <= 0) return high;
  std::uintmax_t iterations = 200;
  auto const [a, b] = boost::math::tools::toms748_solve(
      f, low, high, at_low, at_high, boost::math::tools::eps_tolerance<double>(50), iterations);
  return a + (b - a) / 2;
}

/// The duration of a block on one worker as a function of its size, in any unit. Increasing and continuous for
/// sizes >= 0.
class BlockTime {
 public:
  virtual ~BlockTime() = default;
  [[nodiscard]] virtual double seconds(double size) const = 0;
  /// Returns the derivative of `seconds`, which is positive.
  [[nodiscard]] virtual double slope(double size) const = 0;
  /// Returns the size that takes that long, or 0 if all sizes take longer.
  [[nodiscard]] virtual double size_within(double wanted) const {
    if (wanted <= seconds(0)) return 0;
    double high = 1;
    while (seconds(high) < wanted) high *= 2;
    return increasing_root([&](double x) { return seconds(x) - wanted; }, 0, high);
  }
};

}  // namespace factosim
