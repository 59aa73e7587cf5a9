#pragma once

#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// The keys of `result.json` as the program writes it. Tests compare it with results of all kinds.
[[nodiscard]] ObjectKeys const& result_table();

}  // namespace factosim
