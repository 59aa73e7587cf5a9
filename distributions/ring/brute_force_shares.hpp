#pragma once

#include <span>
#include <vector>

#include "distributions/ring/path_limits.hpp"

namespace factosim {

/// Bandwidths of a few paths (four, when a processor is put into a ring) with about the least sum of g_p /
/// d_p: the slides' "brute force method" where new paths happen to share links. Every allocation that wastes
/// nothing is a max-min fair one for some proportions, so proportions are tried: all of a coarse grid around
/// sqrt(g_p), the best for one link, then of finer grids around the best so far. O(5^(paths - 1))
/// allocations.
std::vector<double> brute_force_shares(PathLimits const& limits, std::span<double const> weights);

}  // namespace factosim
