#pragma once

#include <string>
#include <vector>

#include "simulator/analysis/sweep_record.hpp"

namespace factosim {

/// A picture of a sweep.
struct SweepPicture {
  std::string name;  // of its file, without ".svg"
  std::string svg;
};

/// The plots of a sweep (`plots_of`). Throws InputError, of `where`/plots, where one names a column that does
/// not exist.
[[nodiscard]] std::vector<SweepPicture> draw_plots(SweepRecord const& record, std::string const& where);

/// One picture of several plots of lines with the same x and series, below each other. Throws InputError, of
/// "--figure", "--x" or "--lines", where a column does not exist or where there is nothing to draw.
[[nodiscard]] std::string sweep_figure(SweepRecord const& record, std::vector<SweepPlot> const& plots);

}  // namespace factosim
