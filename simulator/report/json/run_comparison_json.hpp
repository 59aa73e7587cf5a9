#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "simulator/report/analysis/run_comparison.hpp"
#include "simulator/report/analysis/run_summary.hpp"
#include "simulator/report/analysis/tolerances.hpp"

namespace factosim {

/// Returns the list of `make(element)` for the elements of a range.
template <class Range, class Make>
nlohmann::ordered_json json_list(Range&& range, Make const& make) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (auto const& element : range) out.push_back(std::invoke(make, element));
  return out;
}

/// Returns a node as comparisons and pages show it. Numbers that are not finite are written as null.
[[nodiscard]] nlohmann::ordered_json summary_node_json(RunSummary::Node const& node);

/// Returns the whole comparison, in a fixed order; unknown values are null. scenarios/traces.md lists the
/// keys.
[[nodiscard]] nlohmann::ordered_json run_comparison_json(RunComparison const& comparison,
                                                         std::vector<ToleranceCheck> const& checks);

}  // namespace factosim
