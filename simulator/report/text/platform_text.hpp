#pragma once

#include <string>

#include "factosim/platform.hpp"

namespace factosim {

/// Formats the node types of a platform, their nodes and their network for a terminal.
[[nodiscard]] std::string platform_text(Platform const& platform);

}  // namespace factosim
