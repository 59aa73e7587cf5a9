#pragma once

#include <nlohmann/json.hpp>

#include "simulator/report/result.hpp"

namespace factosim {

/// The bounds, with keys and units as in `result.json`.
nlohmann::ordered_json bounds_json(Bounds const& bounds);

/// `result.json`, in a fixed order; all but `simulation` is the same for the same scenario.
nlohmann::ordered_json result_json(Result const& result);

}  // namespace factosim
