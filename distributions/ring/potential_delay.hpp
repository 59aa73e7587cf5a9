#pragma once

#include <span>
#include <vector>

#include "distributions/ring/path_limits.hpp"

namespace factosim {

/// Bandwidths d that minimise the sum of g_p / d_p, with a lower bound of that sum.
struct PotentialDelay {
  std::vector<double> rates;  // [paths] bytes per second; feasible and Pareto-optimal
  double sum = 0;             // of g_p / d_p at these rates
  double lower_bound = 0;     // of the sum over all feasible rates
  bool within_tolerance = false;
};

struct PotentialDelayOptions {
  int rounds = 2000;         // maximum
  double tolerance = 1e-10;  // relative gap between sum and lower bound at which it stops
};

/// Minimum potential delay fairness (Massoulie, Roberts, 2002) with weights g > 0. It minimises T_step of a
/// ring in which every processor computes if g_p is the speed of the sender of p. Dual coordinate ascent:
/// each shared link's price in turn is set to the root at which its paths fill the link. The problem is
/// strictly convex and separable, so the rates converge to the unique optimum, and any prices give a lower
/// bound. Cheap enough for thousands of calls, and an independent check of the quadratic program.
PotentialDelay minimum_potential_delay(PathLimits const& limits, std::span<double const> weights,
                                       PotentialDelayOptions const& options = {});

}  // namespace factosim
