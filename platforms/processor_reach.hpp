#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "simulator/graph/processor_graph.hpp"

namespace factosim {

/// Returns two computing vertices of which the first cannot reach the second; nothing if all reach each other.
std::optional<std::pair<std::uint32_t, std::uint32_t>> unreachable_processors(ProcessorGraph const& graph);

}  // namespace factosim
