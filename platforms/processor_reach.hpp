#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "simulator/graph/processor_graph.hpp"

namespace factosim {

/// Two vertices that compute, the first of which has no way to the second; nothing where each reaches each.
std::optional<std::pair<std::uint32_t, std::uint32_t>> unreachable_processors(ProcessorGraph const& graph);

}  // namespace factosim
