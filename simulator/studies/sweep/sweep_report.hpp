#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/report/analysis/sweep_record.hpp"
#include "simulator/report/figures/figures.hpp"

namespace factosim {

struct SweepFigure {
  std::string name;  // of its file, without ".svg"
  Figure figure;
};

/// Returns the plots of a sweep (`plots_of`). Throws InputError, naming `where`/plots, if one names a column
/// that does not exist.
[[nodiscard]] std::vector<SweepFigure> sweep_figures(SweepRecord const& record, std::string const& where);

/// Columns that the user chose for a page or a figure; "": those of the sweep's first plot.
struct SweepColumns {
  std::string x, lines;
};
/// Writes one picture of several results over x, below each other. `results`: columns or "speedup", with commas between.
/// Throws InputError, naming the option, if a column does not exist or there is nothing to draw.
void draw_sweep_figure(std::filesystem::path const& output, SweepRecord const& record,
                       std::string const& results, SweepColumns const& columns,
                       FigureOptions const& options = {});

/// Writes the page of a sweep in `folder`. It links to the pages FOLDER/runs/ID/report.html of points. Throws
/// InputError if a column does not exist or the page cannot be written.
void write_sweep_report(std::filesystem::path const& output, std::filesystem::path const& folder,
                        SweepRecord const& record, SweepColumns const& columns);

}  // namespace factosim
