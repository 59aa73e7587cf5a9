#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/experiments/hpl/hpl_scenario.hpp"

namespace factosim {

/// The keys of the application "hpl".
[[nodiscard]] std::vector<Key> hpl_application_keys();

/// Reads "platform", "application", "network" and "noise"; all other keys of `scenario` must have been read before.
/// Throws InputError.
[[nodiscard]] HplScenario read_hpl(JsonReader const& scenario, std::uint64_t seed);

/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_hpl(HplScenario const& scenario);

}  // namespace factosim
