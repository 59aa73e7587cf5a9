#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/analysis/curves.hpp"

namespace factosim {

/// A picture of the curves of a panel over x.
struct LinePlot {
  std::string title, x, y;  // names of the axes
  std::vector<Curve> curves;
  std::vector<Curve> bounds;  // drawn in grey
};

/// The picture as SVG: points joined by lines; where a point has replicas, a bar for the 95 % confidence
/// interval of its mean. The y axis starts at 0. Same plot, same bytes.
[[nodiscard]] std::string line_plot_svg(LinePlot const& plot);

/// Several of them below each other.
[[nodiscard]] std::string line_plots_svg(std::span<LinePlot const> plots);

/// A table of cells coloured by a value, from light (least) to dark (most).
struct HeatMap {
  std::string title, x, y, value;
  std::vector<std::string> columns, rows;
  std::vector<double> cells;  // [rows][columns]; NaN: none
};
[[nodiscard]] std::string heat_map_svg(HeatMap const& map);

/// At most `most` round numbers from about the first to about the last value: 1, 2 or 5 times a power of ten
/// apart.
[[nodiscard]] std::vector<double> axis_ticks(double first, double last, int maximum);

}  // namespace factosim
