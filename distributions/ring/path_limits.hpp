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

}  // namespace factosim
