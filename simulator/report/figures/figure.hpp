#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/report/analysis/run_view.hpp"
#include "simulator/report/analysis/table.hpp"

namespace factosim {

/// An axis of a figure, as its user asks for it.
struct AxisOptions {
  std::optional<std::string> label;                // instead of the name of the quantity
  std::optional<std::pair<double, double>> range;  // first < last; without: all values
  bool logarithmic = false;
};

/// What the user of a figure chooses. 0 and "": as the style has it.
struct FigureOptions {
  double width_mm = 0, height_mm = 0;  // of the picture
  double font_pt = 0;                  // height of the letters
  std::string font;                    // family
  bool grey = false;                   // colours by their luminance, for print in black and white
  std::filesystem::path style;         // a style file of matplotlib, applied after the own one
  std::optional<std::string> title;    // empty: none; without: the name of the run or sweep
  AxisOptions x, y;
};

/// A figure before it is drawn. `content` is all that its painter reads (the package factosim.figures, in Python):
/// "kind", "title", "options", its numbers as columns, names and colours. `numbers` are those of .csv files.
struct Figure {
  nlohmann::ordered_json content;
  Table numbers;
};

/// Returns the content that all kinds of figures share.
[[nodiscard]] nlohmann::ordered_json figure_content(std::string_view kind, std::string const& title,
                                                    FigureOptions const& options);
/// Returns the table as an object of arrays, one for each column.
[[nodiscard]] nlohmann::ordered_json columns_json(Table const& table);

/// Returns the names of the figures of runs: panels over time, which one figure may stack, and "map",
/// "bounds" and "lost", which must be drawn alone.
[[nodiscard]] std::vector<std::string> figure_names();
/// Returns true if the run has the data of the panel.
[[nodiscard]] bool has_figure(RunView const& run, std::string_view name);

/// Returns a figure of runs: panels below each other, runs beside each other on one time axis. The content resolves at
/// most a few hundred rows and a thousand columns, the numbers all. Every run must have the data of every panel. Of the
/// options, panels over time follow the style without its height, the title, and label and range of x; those that
/// are drawn alone follow the title and the style. Deterministic.
[[nodiscard]] Figure figure_of_runs(std::span<RunView const> runs, std::vector<std::string> const& names,
                                    FigureOptions const& options = {});

}  // namespace factosim
