#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "simulator/simulation/placed_scenario.hpp"

namespace factosim {

/// Returns the scenario that a result names in its provenance, with the recorded settings and seed. `result` is
/// the file, `document` its content. Throws InputError if it is no result of `run`, or if the scenario has
/// changed since.
[[nodiscard]] PlacedScenario scenario_of_result(std::filesystem::path const& result,
                                                nlohmann::json const& document);

}  // namespace factosim
