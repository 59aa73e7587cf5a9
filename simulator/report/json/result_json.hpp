#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factosim/result.hpp"

namespace factosim {

/// Returns the bounds, with keys and units as in `result.json`.
nlohmann::ordered_json bounds_json(Bounds const& bounds);

/// Returns the first keys of every result.
nlohmann::ordered_json result_head(std::string const& name, bool estimate, Seconds makespan);

/// Adds the key `findings` if there are any.
void add_findings(nlohmann::ordered_json& result, std::vector<std::string> const& findings);

/// Returns the costs of the simulation itself.
nlohmann::ordered_json cost_json(Result::Cost const& cost);

/// Returns `result.json`, in a fixed order. Everything except `simulation` depends only on the scenario.
nlohmann::ordered_json result_json(Result const& result);

}  // namespace factosim
