#include "simulator/base/core/time_grid.hpp"

#include <algorithm>
#include <limits>

namespace factosim {

TimeGrid TimeGrid::for_makespan(Seconds makespan) {
  TimeGrid grid;
  constexpr int bits = 45, longest_shift = 900;  // far from the largest and the smallest double
  if (makespan.value > 0 && std::isfinite(makespan.value)) {
    int const shift = bits - std::ilogb(makespan.value * grid.ticks_per_second_);
    grid.ticks_per_second_ =
        std::ldexp(grid.ticks_per_second_, std::clamp(shift, -longest_shift, longest_shift));
  }
  return grid;
}

Seconds TimeGrid::late(double date, double delay) {
  double sum = date + delay;
  if (!std::isfinite(sum)) return {sum};
  // Knuth's error of the sum: positive if the sum was rounded down.
  double const added = sum - date;
  double const error = (date - (sum - added)) + (delay - added);
  if (error > 0) sum = std::nextafter(sum, std::numeric_limits<double>::infinity());
  constexpr int bits = 49;
  int exponent = 0;
  double const mantissa = std::frexp(sum, &exponent);
  return {std::ldexp(std::ceil(std::ldexp(mantissa, bits)), exponent - bits)};
}

}  // namespace factosim
