#pragma once

#include <string>

#include "factosim/platform.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Reads the keys of a link's rate. `unit` describes the bandwidth in error messages.
[[nodiscard]] LinkRate read_rate(JsonReader const& json, std::string const& unit);

/// Reads an object with the keys of a link's rate only.
[[nodiscard]] LinkRate read_link(JsonReader const& json);

}  // namespace factosim
