#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "simulator/report/analysis/difference_parts.hpp"

namespace factosim {

/// Compares the options that two result.json record. Returns nothing if a result has none or damaged ones, or if an option that
/// can change anything differs, such as the size of the matrix.
[[nodiscard]] std::optional<KnownDifferences> known_differences(nlohmann::json const& result_a,
                                                                nlohmann::json const& result_b);

}  // namespace factosim
