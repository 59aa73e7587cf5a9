#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/finding.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/report/page/pages.hpp"

namespace factosim {

/// A run as its files have it, and what to tell about them.
struct RunFiles {
  RunView view;
  std::optional<Trace> trace;         // of a page, which may compare it
  std::vector<Finding> findings;      // of the reader of its trace
  std::vector<std::string> notes;     // about parts that are not shown
  std::vector<std::string> warnings;  // about files that are altered
};

/// Reads the folder of a run, its result.json, or a trace in any format that is read. `single_tasks`: needed by pages,
/// not by figures. Throws InputError.
[[nodiscard]] RunFiles read_run_files(std::filesystem::path const& path, bool single_tasks);

/// Returns the figure of these runs, each read by `read`. Throws InputError, naming `where`, if it cannot have the panels, or if
/// a run has no data for one.
[[nodiscard]] Figure figure_of_files(std::vector<std::filesystem::path> const& runs,
                                     std::vector<std::string> const& panels, std::string_view where,
                                     FigureOptions const& options,
                                     std::function<RunView(std::filesystem::path const&)> const& read);

/// Compares two runs by their traces and by what their results record; without both traces by their totals.
[[nodiscard]] RunComparison compare_run_files(std::filesystem::path const& a,
                                              std::optional<Trace> const& trace_a,
                                              std::filesystem::path const& b,
                                              std::optional<Trace> const& trace_b);

/// Writes a page, which names the version of this program. The page of two runs compares them.
void write_page(std::filesystem::path const& page, std::vector<RunFiles> runs);

}  // namespace factosim
