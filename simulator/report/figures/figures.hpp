#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "distributions/square_partition.hpp"
#include "factosim/platform.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/report/analysis/curves.hpp"
#include "simulator/report/analysis/run_view.hpp"
#include "simulator/report/analysis/sweep_record.hpp"

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

/// A plot of curves over x.
struct LinePlot {
  std::string title, x, y;  // x, y: labels of the axes
  std::string legend{};     // what the names of the curves are, above them; empty: nothing
  std::vector<Curve> curves;
  std::vector<Curve> bounds;  // drawn in grey
};

/// Returns a figure of plots below each other: points joined by lines; points with replicas have a bar for the 95 %
/// confidence interval of the mean. The numbers are the points. Throws InputError if an axis cannot be drawn as the
/// options ask.
[[nodiscard]] Figure line_figure(std::span<LinePlot const> plots, FigureOptions const& options = {});

/// A table of cells coloured by a value, from light (minimum) to dark (maximum).
struct HeatMap {
  std::string title, x, y, value;  // x, y, value: labels of the columns, rows and cells
  std::vector<std::string> columns, rows;
  std::vector<double> cells;  // [rows][columns]; NaN: none
};
[[nodiscard]] Figure heat_map_figure(HeatMap const& map, FigureOptions const& options = {});

/// The content of a picture of a distribution. The map must outlive it.
struct MapPicture {
  TileMap const& map;       // invalid owner: not stored
  bool lower_only = false;  // tiles above the diagonal are not stored either
  std::string title;
  std::vector<std::string> node_types;        // [nodes] name of each node's type; may be empty
  std::vector<std::uint64_t> tiles_per_node;  // [nodes]
  std::vector<int> section_first_k = {};      // ascending; lines before these rows and columns
  /// [nodes] of the unit square, drawn beside the map; may be empty.
  std::vector<SquarePartition::Rectangle> partition = {};
};

/// Larger matrices are drawn with one cell for several tiles.
constexpr int max_cells_per_side = 300;

/// Returns the figure of a distribution. Hues denote types, shades denote nodes. Its numbers are the owners of all tiles.
[[nodiscard]] Figure map_figure(MapPicture const& picture, FigureOptions const& options = {});

/// Returns a coarser map: each tile stands for `block` x `block` tiles and belongs to the node that owns
/// most of them. Ties go to the first node from the top left, not to the lowest number, which would favour
/// the first type. O(tiles log block).
[[nodiscard]] TileMap coarse(TileMap const& map, int block);

/// Returns a figure of a platform: each node type with its cores, memories, GPUs and the rates between them, and the
/// network that joins the nodes. Its numbers are the rates.
[[nodiscard]] Figure machine_figure(Platform const& platform, std::string const& title);

}  // namespace factosim
