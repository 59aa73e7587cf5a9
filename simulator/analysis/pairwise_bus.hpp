#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "factosim/platform.hpp"

namespace factosim {

/// Returns a bus with one link from each memory node to each other one that it is joined with. `link(from, to)`
/// returns the link's rate, or nothing if the two are not joined. Memory node 0, the RAM, must be joined with
/// all others. Copies between GPUs that are not joined go over the RAM.
[[nodiscard]] Bus pairwise_bus(std::size_t memories,
                               std::function<std::optional<LinkRate>(std::size_t, std::size_t)> const& link);

}  // namespace factosim
