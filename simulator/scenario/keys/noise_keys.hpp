#pragma once

#include <nlohmann/json.hpp>

#include "simulator/base/core/fields.hpp"
#include "simulator/runtime/node/noise.hpp"

namespace factosim {

/// The keys of "noise" as an object; effective options have those that have an effect.
[[nodiscard]] Object<NoiseOptions> const& object_of(NoiseOptions const* any);

/// Reads "noise". Throws InputError.
[[nodiscard]] NoiseOptions read_noise(JsonReader const& json);

}  // namespace factosim
