#include "simulator/app/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "simulator/report/line_plot.hpp"
#include "simulator/report/svg_writer.hpp"

namespace factosim {

namespace {

std::set<std::string> values_of(Table const& table, std::string const& column) {
  std::set<std::string> out;
  if (auto const c = table.find(column))
    for (auto const& row : table.rows)
      if (!row[*c].is_null()) out.insert(cell_text(row[*c]));
  return out;
}

bool is_number(Table const& table, std::string const& column) {
  auto const c = table.find(column);
  return c && std::all_of(table.rows.begin(), table.rows.end(),
                          [&](auto const& row) { return row[*c].is_number() || row[*c].is_null(); });
}

/// The classical plots, where the table has what they need.
std::vector<SweepPlot> classical_plots(Table const& table) {
  std::string x, series;
  if (values_of(table, "nodes").size() > 1) x = "nodes";
  for (std::string const& name : table.parameters) {
    if (values_of(table, name).size() < 2) continue;
    bool const number = is_number(table, name);
    if (x.empty() && number) x = name;
    if (series.empty() && !number && name != "platform/nodes") series = name;
  }
  std::vector<SweepPlot> plots;
  if (x.empty()) return plots;
  std::vector<std::string> metrics{"makespan_s", "gflops", "efficiency", "tiles_sent"};
  if (x == "nodes") metrics.insert(metrics.begin() + 3, "speedup");
  if (!values_of(table, "energy_J").empty()) metrics.emplace_back("energy_J");
  for (std::string const& metric : metrics) plots.push_back({x, metric, series, false});
  return plots;
}

/// Speed-up over the best curve at the least x.
void turn_into_speedup(Panel& panel) {
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

/// What no schedule beats: the least bound of all curves at each x.
std::vector<Curve> bounds_of(Panel const& panel, std::vector<Panel> const& bounds) {
  std::map<double, double> least;
  for (Panel const& bound : bounds)
    if (bound.fixed == panel.fixed)
      for (Curve const& curve : bound.curves)
        for (CurvePoint const& p : curve.points) {
          auto const [place, is_new] = least.try_emplace(p.x, p.y);
          place->second = std::min(place->second, p.y);
        }
  Curve out{"bound"};
  for (auto const& [x, y] : least) out.points.push_back({x, y});
  return {out};
}

void check_column(Sweep const& sweep, std::size_t index, Table const& table, std::string const& column) {
  if (column.empty() || column == "speedup") return;
  require_column(table, fmt::format("{}#/plots/{}", sweep.file.string(), index), column, ", speedup");
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

void draw_lines(std::vector<ReportPicture>& out, Sweep const& sweep, Table const& table,
                SweepPlot const& plot) {
  bool const speedup = plot.y == "speedup";
  auto panels = panels_of(table, {plot.x, speedup ? "makespan_s" : plot.y, plot.series});
  auto const bounds =
      plot.y == "makespan_s" ? panels_of(table, {plot.x, "bound_s", plot.series}) : std::vector<Panel>{};
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (speedup) turn_into_speedup(panels[i]);
    std::string const where = panels[i].words();
    LinePlot drawn{.title = where.empty() ? sweep.name : sweep.name + ": " + where,
                   .x = plot.x,
                   .y = plot.y,
                   .curves = panels[i].curves,
                   .bounds = {}};
    if (!bounds.empty()) drawn.bounds = bounds_of(panels[i], bounds);
    std::string name = file_name(plot.y + "_" + plot.x);
    if (panels.size() > 1) name += fmt::format("_{}", i);
    out.push_back({name, line_plot_svg(drawn)});
  }
}

}  // namespace

std::vector<ReportPicture> draw_plots(Sweep const& sweep, Table const& table) {
  std::vector<ReportPicture> out;
  if (!table.find("makespan_s")) return out;  // nothing was simulated
  auto const plots = sweep.plots.empty() ? classical_plots(table) : sweep.plots;
  for (std::size_t i = 0; i < plots.size(); ++i) {
    for (std::string const& column : {plots[i].x, plots[i].y, plots[i].series})
      check_column(sweep, i, table, column);
    if (plots[i].heat_map)
      out.push_back({file_name(plots[i].y + "_" + plots[i].x + "_" + plots[i].series),
                     heat_map_svg(heat_map_of(table, plots[i], sweep.name))});
    else
      draw_lines(out, sweep, table, plots[i]);
  }
  return out;
}

std::string report_html(Sweep const& sweep, SweepResults const& results,
                        std::vector<ComparedPanel> const& comparisons,
                        std::vector<ReportPicture> const& pictures) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
      "<style>body{{font-family:Helvetica,Arial,sans-serif;max-width:60em;margin:2em auto;color:#222}}"
      "svg{{max-width:100%;height:auto;margin:1em 0}}</style></head>\n<body><h1>{0}</h1>\n<p>{1} points, {2} "
      "failed, {3} "
      "missing. All numbers: sweep.csv beside this page.</p>\n",
      xml_escaped(sweep.name), sweep.points.size(), results.failed.size(), results.missing);
  if (!comparisons.empty()) out += "<h2>Comparisons</h2>\n<ul>\n";
  for (ComparedPanel const& panel : comparisons)
    for (CurveComparison const& c : panel.curves)
      out += fmt::format("<li>{}{}{}: {}</li>\n", xml_escaped(panel.asked.metric),
                         panel.where.empty() ? "" : ", ", xml_escaped(panel.where),
                         xml_escaped(c.words(panel.asked.x)));
  if (!comparisons.empty()) out += "</ul>\n";
  for (ReportPicture const& picture : pictures) out += picture.svg.substr(picture.svg.find("<svg"));
  if (!results.failed.empty()) out += "<h2>Failed points</h2>\n<ul>\n";
  for (FailedPoint const& f : results.failed)
    out += fmt::format("<li>{} ({}): {}</li>\n", f.index, xml_escaped(f.words), xml_escaped(f.message));
  if (!results.failed.empty()) out += "</ul>\n";
  return out + "</body></html>\n";
}

}  // namespace factosim
