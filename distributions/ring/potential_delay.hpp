#pragma once

#include <span>
#include <vector>

#include "distributions/ring/path_limits.hpp"

namespace factosim {

/// Bandwidths d of the least sum of g_p / d_p, and what that sum is at least.
struct PotentialDelay {
  std::vector<double> rates;  // [paths] bytes per second; no link is over its capacity, none could carry more
  double sum = 0;             // of g_p / d_p at these rates
  double lower_bound = 0;     // no rates within the limits have a smaller sum
  bool within_tolerance = false;
};

struct PotentialDelayOptions {
  int rounds = 2000;         // at most
  double tolerance = 1e-10;  // ends where the sum exceeds the lower bound by no more, relatively
};

/// Minimum potential delay fairness (Massoulie, Roberts, 2002) with weights g > 0: what minimises T_step of a
/// ring where every processor computes, if g_p is the speed of the one that sends on p. Prices of the shared
/// links in turn, each the root at which its own paths fill it, are dual coordinate ascent: of a strictly
/// convex and separable problem, so that the prices' rates tend to the only optimum, and any prices give a
/// lower bound. Cheap where it is asked thousands of times, and an independent check of the quadratic
/// program.
PotentialDelay minimum_potential_delay(PathLimits const& limits, std::span<double const> weights,
                                       PotentialDelayOptions const& options = {});

}  // namespace factosim
