#pragma once

#include <string>

#include "factosim/platform.hpp"
#include "simulator/report/figures/figure.hpp"

namespace factosim {

/// Returns a figure of a platform: each node type with its cores, memories, GPUs and the rates between them, and the
/// network that joins the nodes. Its numbers are the rates.
[[nodiscard]] Figure machine_figure(Platform const& platform, std::string const& title);

}  // namespace factosim
