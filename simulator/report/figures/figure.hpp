#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/analysis/run_view.hpp"

namespace factosim {

/// Returns the names that `figure_svg` accepts: panels over time, which one figure may stack, and "map",
/// "bounds" and "lost", which must be drawn alone.
[[nodiscard]] std::vector<std::string> figure_names();
/// Returns true if the run has the data of the panel.
[[nodiscard]] bool has_figure(RunView const& run, std::string_view name);

/// Draws a figure for print: panels below each other, runs beside each other on one time axis. Letters are
/// 6 points high in a column of 3.5 inches. Resolves at most a few hundred rows and columns, so that a
/// million tasks take some 100 kB. Every run must have the data of every panel. Deterministic.
[[nodiscard]] std::string figure_svg(std::span<RunView const> runs, std::vector<std::string> const& names);

}  // namespace factosim
