#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/report/analysis/run_view.hpp"
#include "simulator/report/figures/figure_style.hpp"

namespace factosim {

/// Returns the names that `figure_svg` accepts: panels over time, which one figure may stack, and "map",
/// "bounds" and "lost", which must be drawn alone.
[[nodiscard]] std::vector<std::string> figure_names();
/// Returns true if the run has the data of the panel.
[[nodiscard]] bool has_figure(RunView const& run, std::string_view name);

/// Draws a figure for print: panels below each other, runs beside each other on one time axis. Resolves at
/// most a few hundred rows and columns, so that a million tasks take some 100 kB. Every run must have the
/// data of every panel. Of the options, panels over time follow the style without its height, the title, and
/// label and range of x; those that are drawn alone follow the title and the palette. Deterministic.
[[nodiscard]] Drawing draw_figure(std::span<RunView const> runs, std::vector<std::string> const& names,
                                  FigureOptions const& options = {});

}  // namespace factosim
