#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "factosim/platform.hpp"

namespace factosim {

/// Builds a bus with a separate link between each pair of connected memory nodes. Memory node 0, the RAM,
/// must be connected to all others. GPUs that are not connected copy through the RAM, and the runtime
/// expects the time of both copies. `link(from, to)` returns nothing if they are not connected.
[[nodiscard]] Bus pairwise_bus(std::size_t memories,
                               std::function<std::optional<LinkRate>(std::size_t, std::size_t)> const& link);

}  // namespace factosim
