#pragma once

#include <string>

#include "factosim/result.hpp"

namespace factosim {

/// The result as a person reads it on a terminal, at most 100 columns wide.
std::string summary(Result const& result);

}  // namespace factosim
