#pragma once

#include <nlohmann/json.hpp>

#include "factosim/result.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"

namespace factosim {

/// Returns every option of the scenario with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_options(PlacedScenario const& scenario);

/// Returns the provenance of a result: versions, effective options, sources of the timings.
[[nodiscard]] Result::Provenance provenance(PlacedScenario const& scenario);
/// Returns the part that all kinds of scenarios have.
[[nodiscard]] Result::Provenance provenance_head(ScenarioHead const& head);

}  // namespace factosim
