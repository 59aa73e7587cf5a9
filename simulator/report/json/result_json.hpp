#pragma once

#include <nlohmann/json.hpp>

#include "factosim/result.hpp"

namespace factosim {

/// The bounds, with keys and units as in `result.json`.
nlohmann::ordered_json bounds_json(Bounds const& bounds);

/// What every result begins with.
nlohmann::ordered_json result_head(std::string const& name, bool estimate, Seconds makespan);

/// What the simulation itself cost.
nlohmann::ordered_json cost_json(Result::Cost const& cost);

/// `result.json`, in a fixed order; all but `simulation` is the same for the same scenario.
nlohmann::ordered_json result_json(Result const& result);

}  // namespace factosim
