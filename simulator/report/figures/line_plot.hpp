#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/analysis/curves.hpp"

namespace factosim {

/// A plot of curves over x.
struct LinePlot {
  std::string title, x, y;  // names of the axes
  std::vector<Curve> curves;
  std::vector<Curve> bounds;  // drawn in grey
};

/// Draws the plot: points joined by lines; points with replicas have a bar for the 95 % confidence interval
/// of the mean. The y axis starts at 0. Deterministic.
[[nodiscard]] std::string line_plot_svg(LinePlot const& plot);

/// Draws several plots below each other.
[[nodiscard]] std::string line_plots_svg(std::span<LinePlot const> plots);

/// A table of cells coloured by a value, from light (minimum) to dark (maximum).
struct HeatMap {
  std::string title, x, y, value;
  std::vector<std::string> columns, rows;
  std::vector<double> cells;  // [rows][columns]; NaN: none
};
[[nodiscard]] std::string heat_map_svg(HeatMap const& map);

/// Returns at most `maximum` round numbers between about `first` and `last`; their distance is 1, 2 or 5
/// times a power of ten.
[[nodiscard]] std::vector<double> axis_ticks(double first, double last, int maximum);

}  // namespace factosim
