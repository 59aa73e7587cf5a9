#pragma once

#include <string>
#include <vector>

#include "simulator/report/analysis/run_comparison.hpp"
#include "simulator/report/analysis/tolerances.hpp"

namespace factosim {

/// Formats the comparison as tables for a terminal. Long lists show the entries that differ most and the
/// number of those left out; JSON has them all.
[[nodiscard]] std::string run_comparison_text(RunComparison const& comparison,
                                              std::vector<ToleranceCheck> const& checks);

}  // namespace factosim
