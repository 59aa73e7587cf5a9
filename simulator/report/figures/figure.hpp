#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/report/analysis/table.hpp"

namespace factosim {

/// An axis of a figure, as its user asks for it.
struct AxisOptions {
  std::optional<std::string> label;                // instead of the name of the quantity
  std::optional<std::pair<double, double>> range;  // first < last; without: all values
  std::optional<bool> logarithmic;  // without: x of a sweep, where its values grow by one factor
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

/// Returns true if the name ends in `.svg`, `.pdf`, `.png`, `.csv` or `.json`.
[[nodiscard]] bool is_figure_name(std::filesystem::path const& file);

/// Throws the InputError that `write_figure` would throw for the name, also where pictures cannot be drawn.
void check_figure_name(std::filesystem::path const& file);

/// Writes a figure in the format of the file's name: `.csv`, its numbers; `.json`, its content; `.svg`, also to standard
/// output ("-"), `.pdf` and `.png`, a picture (`draw_figures`). Makes the folder; the write is atomic. Throws InputError for other names.
void write_figure(std::filesystem::path const& file, Figure const& figure);

/// A picture to draw: "svg", "pdf" or "png".
struct FigureJob {
  Figure const* figure;
  std::string format;
};

/// Draws figures by matplotlib in one process of Python and returns the bytes of their files. The interpreter is that of
/// the environment variable FACTOSIM_PYTHON, or else python3 of the PATH, or else /usr/bin/python3, of which the first
/// that has matplotlib is taken. Deterministic for one version of matplotlib. Throws InputError, naming `where`, if
/// pictures cannot be drawn, or naming an option that matplotlib refuses.
[[nodiscard]] std::vector<std::string> draw_figures(std::span<FigureJob const> jobs,
                                                    std::string const& where);

}  // namespace factosim
