#pragma once

#include "factosim/platform.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

inline constexpr NamedValues<Wire, 3> wire_names{
    .what = "wire",
    .values = {{{Wire::shared, "shared"}, {Wire::fifo, "fifo"}, {Wire::priority, "priority"}}}};

inline constexpr NamedValues<GpuDirect, 3> gpu_direct_names{
    .what = "gpu_direct",
    .values = {{{GpuDirect::none, "none"}, {GpuDirect::send, "send"}, {GpuDirect::both, "both"}}}};

inline constexpr NamedValues<Routing, 3> routing_names{
    .what = "routing",
    .values = {
        {{Routing::minimal, "minimal"}, {Routing::valiant, "valiant"}, {Routing::adaptive, "adaptive"}}}};

}  // namespace factosim
