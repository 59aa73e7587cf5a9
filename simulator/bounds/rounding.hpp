#pragma once

#include <cstddef>
#include <limits>

namespace factosim {

/// Returns a sum of positive numbers without what rounding may have added in so many operations.
[[nodiscard]] inline double without_rounding(double sum, std::size_t operations) {
  return sum * (1 - static_cast<double>(operations + 4) * std::numeric_limits<double>::epsilon());
}

}  // namespace factosim
