#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "simulator/base/core/json_text.hpp"
#include "simulator/report/analysis/run_comparison.hpp"

namespace factosim {

/// A node as comparisons and pages show it.
FACTOSIM_JSON_MEMBERS(RunSummary::Node, name, type, workers, tasks, busy_s, idle_s, first_task_s, last_task_s,
                      abe_s)

/// Returns the makespans, the causes of their difference if both runs are traced, and the proof if there is one.
[[nodiscard]] nlohmann::ordered_json difference_json(RunComparison const& comparison);
/// Returns the whole comparison, in a fixed order; unknown values are null. scenarios/traces.md lists the keys.
[[nodiscard]] nlohmann::ordered_json run_comparison_json(RunComparison const& comparison,
                                                         std::vector<ToleranceCheck> const& checks);

}  // namespace factosim
