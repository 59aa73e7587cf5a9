#include "simulator/experiments/balance/block_time.hpp"

namespace factosim {

double BlockTime::size_within(double wanted) const {
  if (wanted <= seconds(0)) return 0;
  double high = 1;
  while (seconds(high) < wanted) high *= 2;
  return increasing_root([&](double x) { return seconds(x) - wanted; }, 0, high);
}

}  // namespace factosim
