#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/finding.hpp"
#include "simulator/report/figures/figure.hpp"
#include "simulator/report/page/pages.hpp"

namespace factosim {

/// A run as its files have it, and what to tell about them.
struct RunFiles {
  RunView view;
  std::vector<Finding> findings;      // of the reader of its trace
  std::vector<std::string> notes;     // about parts that are not shown
  std::vector<std::string> warnings;  // about files that are altered
};

/// Reads the folder of a run, its result.json, or a trace in any format that is read. `single_tasks`: needed by pages,
/// not by figures. Throws InputError.
[[nodiscard]] RunFiles read_run_files(std::filesystem::path const& path, bool single_tasks);

/// Throws InputError, naming `where`, if a figure of that many runs cannot have these panels.
void check_panels(std::vector<std::string> const& panels, std::size_t runs, std::string_view where);

/// Throws InputError, naming `where`, if a run has no data for a panel.
void check_data(RunView const& run, std::filesystem::path const& path, std::vector<std::string> const& panels,
                std::string_view where);

/// Writes a page, which names the version of this program.
void write_page(std::filesystem::path const& page, std::vector<RunView> const& runs);

}  // namespace factosim
