#pragma once

#include "simulator/core/quantity.hpp"

namespace factosim::testing {

constexpr Bytes mebi{1 << 20};

}  // namespace factosim::testing
