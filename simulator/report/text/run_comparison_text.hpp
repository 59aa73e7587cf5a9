#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/report/analysis/run_comparison.hpp"
#include "simulator/report/text/summary.hpp"

namespace factosim {

/// Formats the comparison for a terminal: the makespans, the causes and what is concluded from them; all of it with all tables. Long lists show the entries that differ most and the
/// number of those left out; JSON has them all.
[[nodiscard]] std::string run_comparison_text(RunComparison const& comparison,
                                              std::vector<ToleranceCheck> const& checks,
                                              SummaryLength length);

/// Returns text as LaTeX shows it: its special characters are escaped, control characters become spaces.
[[nodiscard]] std::string latex_escaped(std::string_view text);

/// Returns the comparison as a LaTeX table (package booktabs): totals in seconds, and the causes of the
/// difference where both runs are traced. `a` and `b` head the columns.
[[nodiscard]] std::string run_comparison_latex(RunComparison const& comparison, std::string_view a,
                                               std::string_view b);

}  // namespace factosim
