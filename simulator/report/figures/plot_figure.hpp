#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/report/analysis/curves.hpp"
#include "simulator/report/figures/figure.hpp"

namespace factosim {

/// A plot of curves over x.
struct LinePlot {
  std::string title, x, y;  // x, y: labels of the axes
  std::string legend{};     // what the names of the curves are, above them; empty: nothing
  std::vector<Curve> curves;
  std::vector<Curve> bounds;  // drawn in grey
};

/// Returns a figure of plots below each other: points joined by lines; points with replicas have a bar for the 95 %
/// confidence interval of the mean. The numbers are the points. Throws InputError if an axis cannot be drawn as the
/// options ask.
[[nodiscard]] Figure line_figure(std::span<LinePlot const> plots, FigureOptions const& options = {});

/// A table of cells coloured by a value, from light (minimum) to dark (maximum).
struct HeatMap {
  std::string title, x, y, value;  // x, y, value: labels of the columns, rows and cells
  std::vector<std::string> columns, rows;
  std::vector<double> cells;  // [rows][columns]; NaN: none
};
[[nodiscard]] Figure heat_map_figure(HeatMap const& map, FigureOptions const& options = {});

}  // namespace factosim
