#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "factosim/quantity.hpp"

namespace factosim {

/// Returns a sum of positive numbers without what rounding may have added in so many operations.
[[nodiscard]] inline double without_rounding(double sum, std::size_t operations) {
  return sum * (1 - static_cast<double>(operations + 4) * std::numeric_limits<double>::epsilon());
}

/// Subtracts what the rounding of durations or ends of tasks to ticks, and of sums, may have added to bounds: at most a tick
/// for each task, and four roundings of a double.
template <class Bounds>
void subtract_rounding(Bounds& bounds, std::uint64_t tasks, Seconds tick) {
  auto const count = static_cast<double>(tasks);
  double const share = 4 * (count + 4) * std::numeric_limits<double>::epsilon();
  auto const reduce = [&](Seconds& bound) {
    bound = Seconds{std::max(0.0, bound.value * (1 - share) - count * tick.value)};
  };
  for (Seconds* const bound : {&bounds.abe, &bounds.problem_path, &bounds.problem_area_and_path,
                               &bounds.critical_path, &bounds.critical_path_with_comm, &bounds.load_and_path})
    reduce(*bound);
  for (Seconds& bound : bounds.abe_per_node) reduce(bound);
}

}  // namespace factosim
