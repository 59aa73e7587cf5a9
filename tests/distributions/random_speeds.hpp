#pragma once

#include <cmath>
#include <vector>

#include "tests/graph/random_flow.hpp"

namespace factosim::testing {

/// One to `maximum` speeds over up to `decades` orders of magnitude; every third time only three distinct
/// ones.
inline std::vector<double> random_speeds(Random& random, int maximum, int decades) {
  std::vector<double> speeds(static_cast<std::size_t>(random.between(1, maximum)));
  int const spread = random.between(0, decades);
  bool const classes = random.between(1, 3) == 1;
  for (double& speed : speeds)
    speed = classes ? random.between(1, 3)
                    : std::pow(10.0, spread * random.between(0, 1'000'000) / 1e6) * random.between(1, 9);
  return speeds;
}

}  // namespace factosim::testing
