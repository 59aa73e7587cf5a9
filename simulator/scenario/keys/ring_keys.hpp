#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/experiments/ring/ring_scenario.hpp"

namespace factosim {

/// The keys of the application "ring".
[[nodiscard]] std::vector<Key> ring_application_keys();
/// What the platform of a ring may be.
[[nodiscard]] ValueRules ring_platform_rules();

/// Reads "platform", "application" and "network"; all other keys of `scenario` must have been read before.
/// `seed` draws a random platform. Throws InputError.
[[nodiscard]] RingScenario read_ring(JsonReader const& scenario, std::uint64_t seed);

/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_ring(RingScenario const& scenario);

}  // namespace factosim
