#pragma once

#include <filesystem>

#include "simulator/analysis/sweep_record.hpp"
#include "simulator/sweep/sweep_figures.hpp"

namespace factosim {

/// Writes the page of a sweep in `folder`. It links to the pages FOLDER/runs/ID/report.html of points. Throws
/// InputError if a column does not exist or the page cannot be written.
void write_sweep_report(std::filesystem::path const& output, std::filesystem::path const& folder,
                        SweepRecord const& record, SweepColumns const& columns);

}  // namespace factosim
