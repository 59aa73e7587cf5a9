#pragma once

#include <nlohmann/json.hpp>

#include "simulator/analysis/run_summary.hpp"
#include "simulator/analysis/time_breakdown.hpp"

namespace factosim {

/// Parts of a run that comparisons and pages have in common. Unknown values are null.
[[nodiscard]] nlohmann::ordered_json number_or_null(double value);
[[nodiscard]] nlohmann::ordered_json summary_node_json(RunSummary::Node const& node);
/// Returns the kernels of a breakdown: tasks and seconds by kernel and resource.
[[nodiscard]] nlohmann::ordered_json breakdown_kernels_json(TimeBreakdown const& breakdown);

}  // namespace factosim
