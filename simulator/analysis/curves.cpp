#include "simulator/analysis/curves.hpp"

#include <stdexcept>

#include "simulator/analysis/chart_layout.hpp"
#include "simulator/analysis/sweep_metric.hpp"

namespace factosim {

namespace {

std::size_t column(Table const& table, std::string const& name) {
  if (auto const found = table.find(name)) return *found;
  throw std::out_of_range("no column \"" + name + "\"");
}

CurvePoint point_of(double x, std::vector<double> values, double scale) {
  for (double& v : values) v *= scale;
  if (values.size() == 1) return {x, values.front()};
  Spread spread = spread_of(std::move(values));
  return {x, spread.mean, std::move(spread)};
}

CurveChart chart_of(Table const& table, SweepMetric const& metric, ChartLayout const& layout) {
  CurveChart out{.where = layout.description(), .curves = {}, .bound = {"bound"}};
  double const scale = metric.is_speedup() ? speedup_baseline(table, layout) : 1;
  for (ChartLayout::Line const& line : layout.lines) {
    Curve& curve = out.curves.emplace_back(Curve{line.name});
    for (auto const& [x, rows] : line.rows) curve.points.push_back(point_of(x, metric.values(rows), scale));
  }
  for (auto const& [x, rows] : metric.best_bounds(layout))
    out.bound.points.push_back({x, mean_of(metric.bounds(rows))});
  return out;
}

}  // namespace

std::vector<CurveChart> charts_of(Table const& table, ChartColumns const& columns) {
  std::size_t const x = column(table, columns.x);
  std::optional<std::size_t> const series =
      columns.series.empty() ? std::nullopt : std::optional(column(table, columns.series));
  SweepMetric const metric(table, columns.y);
  std::vector<std::size_t> rows, parameters;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    if (table.rows[r][x].is_number() && metric.value(r)) rows.push_back(r);
  for (std::string const& name : table.parameters) parameters.push_back(column(table, name));
  ChartArranger const arranger(table, std::move(parameters), {x, series.value_or(x)});
  std::vector<CurveChart> out;
  for (ChartLayout const& layout : arranger.charts(rows, x, series, arranger.distinguishing(rows, x, series)))
    out.push_back(chart_of(table, metric, layout));
  return out;
}

}  // namespace factosim
