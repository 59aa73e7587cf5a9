#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/report/analysis/run_panels.hpp"
#include "simulator/report/figures/figures.hpp"

namespace factosim {

/// Returns the curves that a figure draws, without those that are always 0: one for each row if the panel
/// prefers rows, or else their sums. `curve` is the name in the legend.
[[nodiscard]] std::vector<LevelCurve> curves_of(RunView const& run, LevelPanel const& panel);

/// Returns the panel of levels with this name; null: it is none.
[[nodiscard]] LevelPanel const* find_level_panel(std::string_view name);

/// A panel over time that shows no levels.
struct CellPanel {
  char const *name, *form, *title;
  CellRows RunView::*cells;                  // null: "nodes", areas instead of cells
  std::vector<NamedColor> RunView::*colors;  // of the cells
};
inline constexpr CellPanel cell_panels[] = {
    {"iterations", "iterations", "Iterations", &RunView::iteration_cells, &RunView::kernels},
    {"workers", "cells", "Workers (right: idle)", &RunView::worker_cells, &RunView::kernels},
    {"states", "cells", "Worker states", &RunView::state_cells, &RunView::states},
    {"nodes", "areas", "Node occupation (right: busy)", nullptr, nullptr},
};
/// Returns the panel of cells with this name; null: it is none.
[[nodiscard]] CellPanel const* find_cell_panel(std::string_view name);

/// Returns the names of the runs above their parts of a figure: "A: name" if there are several, with their
/// paths where names are alike.
[[nodiscard]] std::vector<std::string> run_headings(std::span<RunView const> runs);

/// How much of a run is told.
enum class Resolution {
  full,   // all numbers
  drawn,  // what a figure can show
};

/// What panels over time show.
struct PanelTables {
  /// The value from one date to another, with its unit. Of iterations, the dates of their first, median and last end; if
  /// they are drawn, also their cells.
  Table numbers{.columns = {"run", "panel", "row", "curve", "from_s", "to_s", "value", "unit"}};
  /// The rows from the top on: its label, the group that it is part of, the note at the right of the group, a date to mark
  /// in the group, and the colour of shades.
  Table rows{.columns = {"run", "panel", "row", "label", "group", "note", "mark_s", "color"}};
};
[[nodiscard]] PanelTables panel_tables(std::span<RunView const> runs, std::vector<std::string> const& names,
                                       Resolution resolution);

/// Most rows and columns of cells, most values of a curve that is drawn.
constexpr std::size_t max_drawn_rows = 150, max_drawn_columns = 1024, max_drawn_values = 400;

/// Returns whether the panel shows a shaded row for each curve: there are too many for lines.
[[nodiscard]] bool as_shaded_rows(LevelPanel const& panel, std::vector<LevelCurve> const& curves);

}  // namespace factosim
