#include "simulator/sweep/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/analysis/panels.hpp"
#include "simulator/core/sample.hpp"
#include "simulator/report/figures/line_plot.hpp"
#include "simulator/sweep/sweep_table.hpp"

namespace factosim {

namespace {

/// Speed-up over the best curve at the least x.
void turn_into_speedup(CurvePanel& panel) {
  double first = std::numeric_limits<double>::infinity(), best = first;
  for (Curve const& curve : panel.curves)
    if (!curve.points.empty()) first = std::min(first, curve.points.front().x);
  for (Curve const& curve : panel.curves)
    if (!curve.points.empty() && curve.points.front().x == first)
      best = std::min(best, curve.points.front().y);
  for (Curve& curve : panel.curves)
    for (CurvePoint& p : curve.points) {
      p.y = best / p.y;
      if (!p.spread) continue;
      std::vector<double> speedups;
      for (double const v : p.spread->values) speedups.push_back(best / v);
      p.spread = spread_of(speedups);
      p.y = p.spread->mean;
    }
}

/// The same table with the rate that each point's bound allows.
Table with_rate_bound(Table table) {
  auto const rate = table.find("gflops"), time = table.find("makespan_s"), bound = table.find("bound_s");
  if (!rate || !time || !bound) return table;
  table.columns.emplace_back("gflops at the bound");
  for (auto& row : table.rows) {
    bool const told = row[*rate].is_number() && row[*time].is_number() && row[*bound].is_number();
    row.push_back(
        told ? Table::Cell(row[*rate].get<double>() * row[*time].get<double>() / row[*bound].get<double>())
             : Table::Cell());
  }
  return table;
}

/// What no schedule beats, of all curves of a panel at each x: the least time, the highest rate.
std::vector<Curve> bounds_of(CurvePanel const& panel, std::vector<CurvePanel> const& bounds, bool highest) {
  std::map<double, double> best;
  for (CurvePanel const& bound : bounds)
    if (bound.fixed == panel.fixed)
      for (Curve const& curve : bound.curves)
        for (CurvePoint const& p : curve.points) {
          auto const [place, is_new] = best.try_emplace(p.x, p.y);
          place->second = highest ? std::max(place->second, p.y) : std::min(place->second, p.y);
        }
  Curve out{"bound"};
  for (auto const& [x, y] : best) out.points.push_back({x, y});
  return {out};
}

std::vector<CurvePanel> bound_panels(Table const& table, SweepPlot const& plot) {
  if (!table.find("bound_s")) return {};
  if (plot.y == "makespan_s") return panels_of(table, {plot.x, "bound_s", plot.series});
  if (plot.y != "gflops") return {};
  return panels_of(with_rate_bound(table), {plot.x, "gflops at the bound", plot.series});
}

std::string file_name(std::string text) {
  for (char& c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) c = '-';
  return text;
}

HeatMap heat_map_of(Table const& table, SweepPlot const& plot, std::string const& title) {
  std::size_t const x = *table.find(plot.x), y = *table.find(plot.y), series = *table.find(plot.series);
  HeatMap map{
      .title = title, .x = plot.x, .y = plot.series, .value = plot.y, .columns = {}, .rows = {}, .cells = {}};
  auto const place = [](std::vector<std::string>& names, std::string const& name) {
    auto const found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
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

/// A plot a panel.
std::vector<LinePlot> line_plots(SweepRecord const& record, SweepPlot const& plot) {
  bool const speedup = plot.y == "speedup";
  auto panels = panels_of(record.table, {plot.x, speedup ? "makespan_s" : plot.y, plot.series});
  auto const bounds = bound_panels(record.table, plot);
  std::vector<LinePlot> out;
  for (CurvePanel& panel : panels) {
    if (speedup) turn_into_speedup(panel);
    std::string const where = panel.description();
    LinePlot& drawn =
        out.emplace_back(LinePlot{.title = where.empty() ? record.name : record.name + ": " + where,
                                  .x = plot.x,
                                  .y = plot.y,
                                  .curves = panel.curves,
                                  .bounds = {}});
    if (!bounds.empty()) drawn.bounds = bounds_of(panel, bounds, plot.y == "gflops");
  }
  return out;
}

/// `plot.y`, or what it is made of.
std::string measured(SweepPlot const& plot) { return plot.y == "speedup" ? "makespan_s" : plot.y; }

/// A column of the table; `place` is what names it. Where "speedup" is no answer, it is not offered again.
void require_in_table(Table const& table, std::string const& place, std::string const& column) {
  require_column(table, place, column, column == "speedup" ? "" : ", speedup");
}

/// One that can be an axis of lines.
void require_numbers(Table const& table, std::string const& place, std::string const& column) {
  require_in_table(table, place, column);
  if (distinct_values(table, *table.find(column), 1) == 0)
    throw InputError(
        place, fmt::format("names the column \"{}\" (no point has a value there). Name another one", column));
  if (!holds_numbers(table, *table.find(column)))
    throw InputError(place, fmt::format("names the column \"{}\" (it holds text, and lines need numbers). "
                                        "Name a column of numbers",
                                        column));
}

}  // namespace

std::vector<SweepPicture> draw_plots(SweepRecord const& record, std::string const& where) {
  Table const& table = record.table;
  std::vector<SweepPicture> out;
  if (!table.find("makespan_s")) return out;  // nothing was simulated
  auto const plots = plots_of(record);
  for (std::size_t i = 0; i < plots.size(); ++i) {
    std::string const place = fmt::format("{}/plots/{}", where, i);
    std::string const y = plots[i].heat_map ? plots[i].y : measured(plots[i]);
    for (std::string const& column : {plots[i].x, y, plots[i].series})
      if (!column.empty()) require_in_table(table, place, column);
    if (plots[i].heat_map) {
      out.push_back({file_name(plots[i].y + "_" + plots[i].x + "_" + plots[i].series),
                     heat_map_svg(heat_map_of(table, plots[i], record.name))});
      continue;
    }
    require_numbers(table, place + "/x", plots[i].x);
    require_numbers(table, place + "/y", y);
    auto const drawn = line_plots(record, plots[i]);
    std::string const name = file_name(plots[i].y + "_" + plots[i].x);
    for (std::size_t panel = 0; panel < drawn.size(); ++panel)
      out.push_back(
          {drawn.size() > 1 ? fmt::format("{}_{}", name, panel) : name, line_plot_svg(drawn[panel])});
  }
  return out;
}

std::string sweep_figure(SweepRecord const& record, std::vector<SweepPlot> const& plots) {
  std::vector<LinePlot> drawn;
  for (SweepPlot const& plot : plots) {
    require_numbers(record.table, "--x#", plot.x);
    require_numbers(record.table, "--figure#", measured(plot));
    if (!plot.series.empty()) require_column(record.table, "--lines#", plot.series);
    for (LinePlot& panel : line_plots(record, plot)) drawn.push_back(std::move(panel));
  }
  constexpr std::size_t maximum = 24;
  if (drawn.size() > maximum)
    throw InputError(
        "--figure#",
        fmt::format("makes {} plots (one for each combination of the parameters that are neither "
                    "--x nor --lines, and more than {} are no figure). Sweep less, or name other "
                    "columns",
                    drawn.size(), maximum));
  return line_plots_svg(drawn);
}

}  // namespace factosim
