#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace factosim {

/// Writes the page of one to four runs, as `factosim report` does: each the folder of a run, its result.json, or a trace
/// in any format that is read. Replaces `page`. Throws InputError.
void write_report_page(std::vector<std::filesystem::path> const& runs, std::filesystem::path const& page);

/// Returns the content of a figure of runs as JSON, which the Python package factosim.figures draws. `panels`: names of
/// `figure_panels()`. Throws InputError.
[[nodiscard]] std::string figure_json(std::vector<std::filesystem::path> const& runs,
                                      std::vector<std::string> const& panels);

/// Returns the names of the panels that a figure may have: some share an axis of time and stand below each other, "map",
/// "bounds" and "lost" are drawn alone.
[[nodiscard]] std::vector<std::string> figure_panels();

}  // namespace factosim
