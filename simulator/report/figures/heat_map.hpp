#pragma once

#include <string>
#include <vector>

#include "simulator/report/figures/figure_style.hpp"

namespace factosim {

/// A table of cells coloured by a value, from light (minimum) to dark (maximum).
struct HeatMap {
  std::string title, x, y, value;  // x, y, value: labels of the columns, rows and cells
  std::vector<std::string> columns, rows;
  std::vector<double> cells;  // [rows][columns]; NaN: none
};
[[nodiscard]] Drawing draw_heat_map(HeatMap const& map, FigureOptions const& options = {});

}  // namespace factosim
