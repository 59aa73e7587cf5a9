#pragma once

#include <nlohmann/json.hpp>

#include "factosim/result.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

[[nodiscard]] Object<Bounds> const& object_of(Bounds const* any);

/// Returns the bounds, with keys and units as in `result.json`.
[[nodiscard]] nlohmann::ordered_json bounds_json(Bounds const& bounds);

}  // namespace factosim
