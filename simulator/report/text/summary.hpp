#pragma once

#include <string>

#include "factosim/result.hpp"

namespace factosim {

/// Formats the result for a terminal, at most 100 columns wide.
std::string summary(Result const& result);

}  // namespace factosim
