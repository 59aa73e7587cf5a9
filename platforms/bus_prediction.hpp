#pragma once

#include <cstddef>
#include <vector>

#include "factosim/platform.hpp"

namespace factosim {

/// Computes the rate of a lone copy between each two memory nodes of a bus, [from][to], 0 on the diagonal: the
/// bandwidth of the slowest link of the route (half for a link crossed twice) and the sum of the latencies; two
/// copies over the RAM, one after the other, without a direct route. For buses without measurements.
[[nodiscard]] std::vector<LinkRate> predict_from_routes(Bus const& bus, std::size_t memory_nodes);

}  // namespace factosim
