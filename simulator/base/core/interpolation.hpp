#pragma once

#include <algorithm>

namespace factosim {

/// Returns the value at x of a curve through points of rising `x_of(point)`: linear between them, constant outside. Needs one
/// point.
template <class Points, class X, class Y>
[[nodiscard]] double interpolated(Points const& points, double x, X const& x_of, Y const& y_of) {
  auto const after = std::ranges::lower_bound(points, x, {}, x_of);
  if (after == points.begin()) return y_of(*after);
  if (after == points.end()) return y_of(points.back());
  auto const before = after - 1;
  return std::lerp(y_of(*before), y_of(*after), (x - x_of(*before)) / (x_of(*after) - x_of(*before)));
}

}  // namespace factosim
