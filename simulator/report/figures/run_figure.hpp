#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/report/analysis/run_view.hpp"
#include "simulator/report/figures/figure.hpp"

namespace factosim {

/// Returns the names of the figures of runs: panels over time, which one figure may stack, and "map",
/// "bounds" and "lost", which must be drawn alone.
[[nodiscard]] std::vector<std::string> figure_names();
/// Returns true for those that must be drawn alone.
[[nodiscard]] bool stands_alone(std::string_view name);
/// Returns true if the run has the data of the panel.
[[nodiscard]] bool has_figure(RunView const& run, std::string_view name);

/// Returns a figure of runs: panels below each other, runs beside each other on one time axis. The content resolves at
/// most a few hundred rows and a thousand columns, the numbers all. Every run must have the data of every panel. Of the
/// options, panels over time follow the style without its height, the title, and label and range of x; those that
/// are drawn alone follow the title and the style. Deterministic.
[[nodiscard]] Figure figure_of_runs(std::span<RunView const> runs, std::vector<std::string> const& names,
                                    FigureOptions const& options = {});

}  // namespace factosim
