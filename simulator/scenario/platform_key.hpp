#pragma once

#include <nlohmann/json.hpp>

#include "factosim/platform.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// A scenario's platform: a path, or an object with "file" and "nodes".
[[nodiscard]] Platform read_platform_key(JsonReader const& json);

/// How many nodes of which types, in their order.
[[nodiscard]] nlohmann::ordered_json effective_platform(Platform const& platform);

}  // namespace factosim
