#pragma once

#include <cstdint>
#include <span>

#include "simulator/analysis/node_colors.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

constexpr double legend_width = 298;

/// Draws which colours mean which nodes, type by type, with (left, top) as corner. Returns where it ends
/// below.
double draw_legend(SvgWriter& out, NodeColors const& colors, std::span<std::uint64_t const> tiles_per_node,
                   double left, double top);

}  // namespace factosim
