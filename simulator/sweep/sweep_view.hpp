#pragma once

#include <filesystem>
#include <string>

#include "simulator/analysis/sweep_record.hpp"

namespace factosim {

/// Which columns a page shows first, or a figure draws; "": as the sweep's first plot has them.
struct SweepColumns {
  std::string x, lines;
};

/// The page of a sweep in `folder`. Points whose run lies in FOLDER/runs/ID with a page of its own,
/// report.html, lead there. Throws InputError where a column does not exist, or where the page cannot be
/// written.
void write_sweep_report(std::filesystem::path const& output, std::filesystem::path const& folder,
                        SweepRecord const& record, SweepColumns const& columns);

/// A picture of columns with commas between, over x, below each other. Throws InputError.
void draw_sweep_figure(std::filesystem::path const& output, SweepRecord const& record,
                       std::string const& results, SweepColumns const& columns);

}  // namespace factosim
