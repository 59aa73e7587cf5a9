#pragma once

#include <nlohmann/json.hpp>

#include "factosim/platform.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// Reads a scenario's platform: a path, or an object with "file" and "nodes". Throws InputError.
[[nodiscard]] Platform read_platform_key(JsonReader const& json);

/// Returns the types and numbers of nodes, in their order.
[[nodiscard]] nlohmann::ordered_json effective_platform(Platform const& platform);

}  // namespace factosim
