#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/analysis/run_view.hpp"

namespace factosim {

/// Names of what `figure_svg` draws: those of the panels over time, which one figure may stack, and "map",
/// "bounds" and "lost", which stand alone.
[[nodiscard]] std::vector<std::string> figure_names();
/// Whether the run tells what that panel needs.
[[nodiscard]] bool has_figure(RunView const& run, std::string_view name);

/// A figure for print: panels below each other, runs beside each other on one time axis, letters that are
/// 6 points high in a column of 3.5 inches. At most a few hundred rows and columns are told apart, so that a
/// million tasks are some 100 kB. Every run has what every name needs. Same runs, same bytes.
[[nodiscard]] std::string figure_svg(std::span<RunView const> runs, std::vector<std::string> const& names);

}  // namespace factosim
