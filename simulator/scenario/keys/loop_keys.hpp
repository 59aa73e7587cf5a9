#pragma once

#include <vector>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// The keys of the application "data-parallel", and those of its scenario.
[[nodiscard]] std::vector<Key> loop_application_keys();
[[nodiscard]] std::vector<Key> loop_scenario_keys();

}  // namespace factosim
