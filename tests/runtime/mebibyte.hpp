#pragma once

#include "factosim/quantity.hpp"

namespace factosim::testing {

constexpr Bytes mebi{1 << 20};

}  // namespace factosim::testing
