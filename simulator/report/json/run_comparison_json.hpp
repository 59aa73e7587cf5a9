#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "simulator/report/analysis/run_comparison.hpp"
#include "simulator/report/analysis/tolerances.hpp"

namespace factosim {

/// Returns the whole comparison, in a fixed order; unknown values are null. scenarios/traces.md lists the
/// keys.
[[nodiscard]] nlohmann::ordered_json run_comparison_json(RunComparison const& comparison,
                                                         std::vector<ToleranceCheck> const& checks);

}  // namespace factosim
