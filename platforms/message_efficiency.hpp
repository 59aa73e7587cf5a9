#pragma once

#include <string>

#include "factosim/platform.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Returns the key "efficiency" of networks.
[[nodiscard]] Key efficiency_key();
/// Reads "efficiency" of a network if it is there. Throws InputError.
void read_efficiency(MessageEfficiency& efficiency, JsonReader const& network);
/// Returns the JSON text of an efficiency; empty for that of full bandwidth.
[[nodiscard]] std::string efficiency_json(MessageEfficiency const& efficiency);

}  // namespace factosim
