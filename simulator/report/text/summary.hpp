#pragma once

#include <string>
#include <vector>

#include "factosim/result.hpp"

namespace factosim {

enum class SummaryLength {
  answer,  // makespan, limit, bound, use, traffic, cost
  all      // also bounds in parts, tasks by kernel, and a line for each node type
};

/// Formats the result for a terminal, at most 100 columns wide, apart from findings.
std::string summary(Result const& result, SummaryLength length = SummaryLength::answer);

/// Returns one line for each finding below a heading; empty if there are none.
std::string findings_text(std::vector<std::string> const& findings);

}  // namespace factosim
