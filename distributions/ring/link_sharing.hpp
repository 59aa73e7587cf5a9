#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

/// Constraints on the bandwidths d of a set of paths: d_p <= bound_p, and on each link shared by several
/// paths sum of d_p <= capacity. All allocations of bandwidth use these.
struct PathLimits {
  struct SharedLink {
    double capacity = 0;               // bytes per second
    std::vector<std::uint32_t> paths;  // at least two
  };
  std::vector<double> bound;       // [paths] bytes per second; infinite if no link limits the path
  std::vector<SharedLink> shared;  // by link; of several links with the same paths only the tightest
};

/// [links] the paths that cross each link, in order.
std::vector<std::vector<std::uint32_t>> paths_on_links(ProcessorGraph const& graph,
                                                       std::span<RingPath const> paths);

/// `capacity`: [links] bandwidth available to the paths.
PathLimits path_limits(ProcessorGraph const& graph, std::span<double const> capacity,
                       std::span<RingPath const> paths);
/// The same with the full bandwidth of every link.
PathLimits path_limits(ProcessorGraph const& graph, std::span<RingPath const> paths);

/// Weighted max-min fairness by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2):
/// bandwidths grow in proportion to `weights`; a path that reaches a full link or its bound stops, the others
/// go on. With unit weights no path can gain without a path of lower bandwidth losing, which is the first
/// refinement of the slides. O(paths (paths + links)).
std::vector<double> max_min_rates(PathLimits const& limits, std::span<double const> weights);

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
