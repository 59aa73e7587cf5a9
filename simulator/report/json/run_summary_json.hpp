#pragma once

#include <nlohmann/json.hpp>

#include "simulator/analysis/run_summary.hpp"
#include "simulator/analysis/time_breakdown.hpp"

namespace factosim {

/// Returns the list of `make(element)` for the elements of a range.
template <class Range, class Make>
nlohmann::ordered_json json_list(Range const& range, Make const& make) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (auto const& element : range) out.push_back(make(element));
  return out;
}

/// Parts of a run that comparisons and pages have in common. Unknown values are null.
[[nodiscard]] nlohmann::ordered_json number_or_null(double value);
[[nodiscard]] nlohmann::ordered_json summary_node_json(RunSummary::Node const& node);
/// Returns the kernels of a breakdown: tasks and seconds by kernel and resource.
[[nodiscard]] nlohmann::ordered_json breakdown_kernels_json(TimeBreakdown const& breakdown);

}  // namespace factosim
