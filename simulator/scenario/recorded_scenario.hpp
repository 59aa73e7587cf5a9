#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "simulator/scenario/scenario.hpp"

namespace factosim {

/// The scenario that a result names in its provenance, with the settings and the seed that it had then.
/// `result` is the file, `document` what it holds. Throws InputError where it is no result of `run`, or where
/// the scenario is not what it was.
[[nodiscard]] Scenario scenario_of_result(std::filesystem::path const& result,
                                          nlohmann::json const& document);

}  // namespace factosim
