#pragma once

#include <vector>

#include "simulator/base/core/named_values.hpp"

namespace factosim {

/// Returns all policies, with one line about each.
[[nodiscard]] std::vector<DescribedName> described_policies();

}  // namespace factosim
