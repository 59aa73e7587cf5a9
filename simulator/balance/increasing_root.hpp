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

}  // namespace factosim
