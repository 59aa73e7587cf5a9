#include "distributions/square_partition.hpp"

#include <cmath>

namespace factosim {

double SquarePartition::cost() const {
  double sum = 0;
  for (Rectangle const& r : rectangles) sum += r.width + r.height;
  return sum;
}

double partition_lower_bound(std::span<double const> speeds) {
  double total = 0;
  for (double const s : speeds) total += s;
  double sum = 0;
  for (double const s : speeds) sum += 2 * std::sqrt(s / total);
  return sum;
}

}  // namespace factosim
