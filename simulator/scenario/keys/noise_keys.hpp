#pragma once

#include <nlohmann/json.hpp>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/runtime/node/noise.hpp"

namespace factosim {

/// The keys of "noise" as an object.
[[nodiscard]] ObjectKeys const& noise_table();
/// What "noise" may be: an object, or the name of a distribution.
[[nodiscard]] ValueRules noise_rules();

/// Reads "noise". Throws InputError.
[[nodiscard]] NoiseOptions read_noise(JsonReader const& json);
/// Returns every option that has an effect with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_noise(NoiseOptions const& options);

}  // namespace factosim
