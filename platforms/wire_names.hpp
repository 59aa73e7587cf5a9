#pragma once

#include "factosim/platform.hpp"
#include "simulator/core/named_values.hpp"

namespace factosim {

inline constexpr NamedValues<Wire, 3> wire_names{
    .what = "wire",
    .values = {{{Wire::shared, "shared"}, {Wire::fifo, "fifo"}, {Wire::priority, "priority"}}}};

}  // namespace factosim
