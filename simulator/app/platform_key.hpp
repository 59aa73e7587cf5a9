#pragma once

#include <nlohmann/json.hpp>

#include "platforms/platform.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// A scenario's platform: a path, or an object with "file" and "nodes".
[[nodiscard]] Platform read_platform_key(JsonReader const& json);

/// How many nodes of which types, in their order.
[[nodiscard]] nlohmann::ordered_json platform_in_force(Platform const& platform);

}  // namespace factosim
