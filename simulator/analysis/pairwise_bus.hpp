#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "factosim/platform.hpp"
#include "simulator/analysis/trace_links.hpp"

namespace factosim {

/// A bus with a link of its own between each two memory nodes that are joined; memory node 0, the RAM, must
/// be joined with all others. GPUs that are not joined meet in the RAM, and the runtime expects the time of
/// both copies. `link(from, to)`: nothing where they are not joined.
[[nodiscard]] Bus pairwise_bus(std::size_t memories,
                               std::function<std::optional<LinkFit>(std::size_t, std::size_t)> const& link);

}  // namespace factosim
