#pragma once

#include <span>
#include <vector>

#include "distributions/ring/path_limits.hpp"

namespace factosim {

/// Returns bandwidths of a few paths (four when a processor is inserted into a ring) that approximately
/// minimise the sum of g_p / d_p: the "brute force method" of the slides for new paths that share links.
/// Every Pareto-optimal allocation is max-min fair for some proportions, so proportions are enumerated on a
/// coarse grid around sqrt(g_p), the optimum for one link, then on finer grids around the best. O(5^(paths -
/// 1)) allocations.
std::vector<double> brute_force_shares(PathLimits const& limits, std::span<double const> weights);

}  // namespace factosim
