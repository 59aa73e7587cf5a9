#pragma once

#include <cstdint>
#include <span>

#include "simulator/analysis/node_colors.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

constexpr double legend_width = 298;

/// Draws the legend of node colours, type by type, with (left, top) as its corner. Returns its lower end.
double draw_legend(SvgWriter& out, NodeColors const& colors, std::span<std::uint64_t const> tiles_per_node,
                   double left, double top);

}  // namespace factosim
