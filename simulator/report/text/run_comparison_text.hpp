#pragma once

#include <string>
#include <vector>

#include "simulator/analysis/run_comparison.hpp"
#include "simulator/analysis/tolerances.hpp"

namespace factosim {

/// The comparison as tables for a terminal. Of long lists the entries that differ most, and how many are left
/// out; JSON has them all.
[[nodiscard]] std::string run_comparison_text(RunComparison const& comparison,
                                              std::vector<ToleranceCheck> const& checks);

}  // namespace factosim
