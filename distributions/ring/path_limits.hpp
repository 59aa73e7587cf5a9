#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "distributions/ring/ring.hpp"

namespace factosim {

/// What limits the bandwidths d of a set of paths: d_p <= bound_p, and on each link that several of them
/// share the sum of theirs <= capacity. All allocations of bandwidth work on this.
struct PathLimits {
  struct SharedLink {
    double capacity = 0;               // bytes per second
    std::vector<std::uint32_t> paths;  // two at least
  };
  std::vector<double> bound;  // [paths] bytes per second; infinite where no link limits
  std::vector<SharedLink>
      shared;  // in the order of the links; none says less than another one of the same paths
};

/// [links] the paths that cross each, in order.
std::vector<std::vector<std::uint32_t>> paths_on_links(ProcessorGraph const& graph,
                                                       std::span<RingPath const> paths);

/// `capacity`: [links] what the paths may use of each.
PathLimits path_limits(ProcessorGraph const& graph, std::span<double const> capacity,
                       std::span<RingPath const> paths);
/// The same with all of the bandwidth of every link.
PathLimits path_limits(ProcessorGraph const& graph, std::span<RingPath const> paths);

/// Bandwidths in the proportion of `weights`, as far as no link or bound is in the way; a path that meets one
/// stays there, and the others go on (weighted max-min fairness, by progressive filling; Bertsekas and
/// Gallager, Data Networks, 6.5.2). With weights of 1 nobody can get more without somebody who has less
/// losing, which is the slides' first refinement. O(paths (paths + links)).
std::vector<double> max_min_rates(PathLimits const& limits, std::span<double const> weights);

}  // namespace factosim
