#pragma once

#include <string>
#include <string_view>

#include "factosim/platform.hpp"

namespace factosim {

/// Returns an SVG picture of a platform: each node type with its cores, memories, GPUs and the rates between them, and
/// the network that joins the nodes.
[[nodiscard]] std::string draw_machines(Platform const& platform, std::string_view title);

}  // namespace factosim
