#pragma once

#include <nlohmann/json.hpp>

#include "factosim/result.hpp"
#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// The keys of `result.json`, as `result_json` writes them.
[[nodiscard]] ObjectKeys const& result_table();

/// Returns `result.json`, in a fixed order. Everything except `simulation` depends only on the scenario.
[[nodiscard]] nlohmann::ordered_json result_json(Result const& result);

/// Returns the bounds, with keys and units as in `result.json`.
[[nodiscard]] nlohmann::ordered_json bounds_json(Bounds const& bounds);

}  // namespace factosim
