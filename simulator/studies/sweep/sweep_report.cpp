#include "simulator/studies/sweep/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <utility>

#include "factosim/error.hpp"
#include "factosim/version.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/report/analysis/curves.hpp"
#include "simulator/report/analysis/sweep_view.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/report/page/pages.hpp"
#include "simulator/studies/sweep/sweep_table.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Throws InputError, naming --x or --lines, if a column does not exist.
void check_columns(Table const& table, SweepColumns const& columns) {
  if (!columns.x.empty()) require_column(table, "--x#", columns.x);
  if (!columns.lines.empty()) require_column(table, "--lines#", columns.lines);
}

bool in_names(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns a path as a relative URL, percent-encoded.
std::string address(fs::path const& path) {
  std::string out = "./";
  for (char const c : path.generic_string())
    out += in_names(c) || c == '/' || c == '.' || c == '-'
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

/// Returns the URLs of the pages of the points of `folder` by point id, relative to the folder `from`.
std::map<std::string, std::string> pages_of_points(fs::path const& folder, fs::path const& from) {
  std::map<std::string, std::string> out;
  std::error_code error;
  for (auto const& entry : fs::directory_iterator(folder / "runs", error))
    if (fs::exists(entry.path() / "report.html", error))
      out[entry.path().filename().string()] =
          address(fs::relative(entry.path() / "report.html", from.empty() ? fs::path(".") : from, error));
  return out;
}

std::string file_name(std::string text) {
  std::ranges::replace_if(text, std::not_fn(in_names), '-');
  return text;
}

HeatMap heat_map_of(Table const& table, SweepPlot const& plot, std::string const& title) {
  std::size_t const x = table.place_of(plot.x), y = table.place_of(plot.y),
                    series = table.place_of(plot.series);
  HeatMap map{.title = title,
              .x = column_label(plot.x),
              .y = column_label(plot.series),
              .value = column_label(plot.y),
              .columns = {},
              .rows = {},
              .cells = {}};
  auto const place = [](std::vector<std::string>& names, std::string const& name) {
    auto const number = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    if (number == names.size()) names.push_back(name);
    return number;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::pair<double, int>> sums;
  for (auto const& row : table.rows) {
    std::size_t const c = place(map.columns, cell_text(row[x])), r = place(map.rows, cell_text(row[series]));
    if (!row[y].is_number()) continue;
    auto& [sum, count] = sums[{r, c}];
    sum += row[y].get<double>();
    ++count;
  }
  map.cells.assign(map.rows.size() * map.columns.size(), std::numeric_limits<double>::quiet_NaN());
  for (auto const& [at, sum] : sums)
    map.cells[at.first * map.columns.size() + at.second] = sum.first / sum.second;
  return map;
}

/// Returns one plot for each chart.
std::vector<LinePlot> line_plots(SweepRecord const& record, SweepPlot const& plot) {
  std::vector<LinePlot> out;
  for (CurveChart& chart : charts_of(record.table, plot)) {
    out.push_back({.title = chart.where.empty() ? record.name : record.name + ": " + chart.where,
                   .x = column_label(plot.x),
                   .y = column_label(plot.y),
                   .legend = plot.series.empty() ? "" : column_label(plot.series),
                   .curves = std::move(chart.curves),
                   .bounds = {}});
    if (!chart.bound.points.empty()) out.back().bounds.push_back(std::move(chart.bound));
  }
  return out;
}

/// Returns the column that `plot.y` is computed from.
std::string measured(SweepPlot const& plot) { return plot.y == "speedup" ? "makespan_s" : plot.y; }

/// Throws InputError, naming `place`, if the table has no such column. The message offers "speedup" unless
/// it was asked for.
void require_in_table(Table const& table, std::string const& place, std::string const& column) {
  require_column(table, place, column, column == "speedup" ? "" : ", speedup");
}

/// Throws InputError, naming `place`, if the column cannot be an axis of lines.
void require_numbers(Table const& table, std::string const& place, std::string const& column) {
  require_in_table(table, place, column);
  if (distinct_values(table, *table.find(column), 1) == 0)
    throw InputError(
        place, fmt::format("names the column \"{}\" (no point has a value there). Name another one", column));
  if (!holds_numbers(table, *table.find(column)))
    throw InputError(
        place,
        fmt::format(
            "names the column \"{}\" (it holds text, and lines need numbers). Name a column of numbers",
            column));
}

/// Returns the plots of several results over the chosen columns.
std::vector<SweepPlot> chosen_plots(SweepRecord const& record, std::string const& results,
                                    SweepColumns const& columns) {
  check_columns(record.table, columns);
  auto const known = plots_of(record);
  std::string const x = !columns.x.empty() ? columns.x : known.empty() ? "" : known.front().x;
  if (x.empty())
    throw InputError("--x#",
                     "is not given (no number varies in this sweep that could be the axis). Name a column");
  std::string lines = columns.lines;
  if (lines.empty() && !known.empty() && known.front().series != x) lines = known.front().series;
  std::vector<SweepPlot> out;
  std::istringstream list(results);
  for (std::string name; std::getline(list, name, ',');) {
    SweepPlot const& plot = out.emplace_back(SweepPlot{x, name, lines, false});
    require_numbers(record.table, "--x#", plot.x);
    require_numbers(record.table, "--figure#", measured(plot));
    if (!plot.series.empty()) require_column(record.table, "--lines#", plot.series);
  }
  return out;
}

}  // namespace

void write_sweep_report(fs::path const& output, fs::path const& folder, SweepRecord const& record,
                        SweepColumns const& columns) {
  check_columns(record.table, columns);
  TextFile out(output);
  write_sweep_page(out, record,
                   {.source = folder.string(),
                    .x = columns.x,
                    .series = columns.lines,
                    .reports = pages_of_points(folder, output.parent_path())},
                   fmt::format("factosim {} ({})", version(), git_revision()));
  out.commit();
}

std::vector<SweepFigure> sweep_figures(SweepRecord const& record, std::string const& where) {
  Table const& table = record.table;
  std::vector<SweepFigure> out;
  if (!table.find("makespan_s")) return out;  // nothing was simulated
  auto const plots = plots_of(record);
  for (std::size_t i = 0; i < plots.size(); ++i) {
    std::string const place = fmt::format("{}/plots/{}", where, i);
    std::string const y = plots[i].heat_map ? plots[i].y : measured(plots[i]);
    for (std::string const& column : {plots[i].x, y, plots[i].series})
      if (!column.empty()) require_in_table(table, place, column);
    if (plots[i].heat_map) {
      out.push_back({file_name(plots[i].y + "_" + plots[i].x + "_" + plots[i].series),
                     heat_map_figure(heat_map_of(table, plots[i], record.name))});
      continue;
    }
    require_numbers(table, place + "/x", plots[i].x);
    require_numbers(table, place + "/y", y);
    auto const drawn = line_plots(record, plots[i]);
    std::string const name = file_name(plots[i].y + "_" + plots[i].x);
    for (std::size_t panel = 0; panel < drawn.size(); ++panel)
      out.push_back({drawn.size() > 1 ? fmt::format("{}_{}", name, panel) : name,
                     line_figure(std::span(&drawn[panel], 1))});
  }
  return out;
}

void draw_sweep_figure(std::filesystem::path const& output, SweepRecord const& record,
                       std::string const& results, SweepColumns const& columns,
                       FigureOptions const& options) {
  check_figure_name(output);
  std::vector<LinePlot> drawn;
  for (SweepPlot const& plot : chosen_plots(record, results, columns))
    std::ranges::move(line_plots(record, plot), std::back_inserter(drawn));
  constexpr std::size_t maximum = 24;
  if (drawn.size() > maximum)
    throw InputError(
        "--figure#",
        fmt::format("makes {} plots (one for each combination of the parameters that are neither --x nor "
                    "--lines, and more than {} are no figure). Sweep less, or name other columns",
                    drawn.size(), maximum));
  write_figure(output, line_figure(drawn, options));
}

}  // namespace factosim
