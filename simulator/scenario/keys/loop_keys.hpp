#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/experiments/loops/loop_scenario.hpp"

namespace factosim {

/// The keys of the application "data-parallel".
[[nodiscard]] std::vector<Key> loop_application_keys();

/// Reads all keys of a data-parallel loop's scenario that have not been asked for. Throws InputError: no
/// work, no worker, a speed of 0, an unknown balancer, a negative time, ...
[[nodiscard]] DataParallelScenario read_loop_scenario(JsonReader const& scenario, std::uint64_t seed);

/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_loop(DataParallelScenario const& scenario);

}  // namespace factosim
