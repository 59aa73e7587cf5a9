#pragma once

#include <nlohmann/json.hpp>

#include "simulator/core/json_reader.hpp"
#include "simulator/runtime/noise.hpp"

namespace factosim {

/// Reads "noise": an object, or the name of a distribution. Throws InputError.
[[nodiscard]] NoiseOptions read_noise(JsonReader const& json);
/// Returns every option that has an effect with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_noise(NoiseOptions const& options);

}  // namespace factosim
