#pragma once

#include <string>
#include <vector>

#include "factosim/result.hpp"

namespace factosim {

/// Formats the result for a terminal, at most 100 columns wide, apart from findings.
std::string summary(Result const& result);

/// Returns one line for each finding below a heading; empty if there are none.
std::string findings_text(std::vector<std::string> const& findings);

}  // namespace factosim
