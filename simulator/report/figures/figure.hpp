#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/analysis/run_panels.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

/// A part of a figure that shows one run over time.
struct TimeAxis {
  SvgBox box;    // of the plot, in pixels
  double end_s;  // of the axis, from 0

  [[nodiscard]] double x(double date_s) const { return box.left + box.width * date_s / end_s; }
};

/// Names of what `figure_svg` draws: those of the panels over time, which one figure may stack, and "map",
/// "bounds" and "lost", which stand alone.
[[nodiscard]] std::vector<std::string> figure_names();
/// Whether the run tells what that panel needs.
[[nodiscard]] bool has_figure(RunPanels const& run, std::string_view name);

/// A figure for print: panels below each other, runs beside each other on one time axis, letters that are
/// 6 points high in a column of 3.5 inches. At most a few hundred rows and columns are told apart, so that a
/// million tasks are some 100 kB. Every run has what every name needs. Same runs, same bytes.
[[nodiscard]] std::string figure_svg(std::span<RunPanels const> runs, std::vector<std::string> const& names);

}  // namespace factosim
