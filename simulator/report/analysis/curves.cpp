#include "simulator/report/analysis/curves.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "simulator/report/analysis/sweep_charts.hpp"

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

CurveChart chart_of(SweepMetric const& metric, ChartLayout const& layout) {
  CurveChart out{.where = layout.description(), .curves = {}, .bound = {"bound"}};
  double const scale = metric.is_speedup() ? speedup_baseline(metric, layout) : 1;
  for (ChartLayout::Line const& line : layout.lines) {
    Curve& curve = out.curves.emplace_back(Curve{line.name});
    for (auto const& [x, rows] : line.rows)
      curve.points.push_back(point_of(x, known_numbers(metric.value, rows), scale));
  }
  for (auto const& [x, best] : best_bounds(metric, layout)) out.bound.points.push_back({x, best.bound});
  return out;
}

constexpr double tie = 1e-9;  // relative

CurvePoint const* point_at(Curve const& curve, double x) {
  auto const found =
      std::find_if(curve.points.begin(), curve.points.end(), [&](CurvePoint const& p) { return p.x == x; });
  return found == curve.points.end() ? nullptr : &*found;
}

bool overlap(CurvePoint const& a, CurvePoint const& b) {
  if (!a.spread || !b.spread) return false;
  return a.spread->ci95_low <= b.spread->ci95_high && b.spread->ci95_low <= a.spread->ci95_high;
}

constexpr double probability = 0.95;  // of the interval of the difference of two runs

Moments moments_of(Spread const& s) { return moments(s.values); }

/// Returns the difference if an interval for that of two single runs contains it.
std::optional<IndistinctPoint> indistinct(CurvePoint const& point, CurvePoint const& base) {
  if (!point.spread || !base.spread) return std::nullopt;
  double const difference = std::abs(point.y - base.y);
  double const within =
      difference_half_width(moments_of(*point.spread), moments_of(*base.spread), probability);
  if (difference > within) return std::nullopt;
  return IndistinctPoint{base.x, difference / std::abs(base.y), within / std::abs(base.y)};
}

std::string range(std::pair<double, double> const& r) {
  return r.first == r.second ? fmt::format("{:g}", r.first) : fmt::format("{:g} to {:g}", r.first, r.second);
}

CurveComparison compare(Curve const& curve, Curve const& baseline, bool more) {
  CurveComparison out{
      .name = curve.name, .baseline = baseline.name, .ratios = {}, .better = {}, .indistinct = {}};
  bool was_better = false;
  for (CurvePoint const& base : baseline.points) {
    CurvePoint const* const point = point_at(curve, base.x);
    if (point == nullptr || base.y == 0) continue;
    double const ratio = point->y / base.y;
    out.ratios.emplace_back(base.x, ratio);
    bool const better = more ? ratio > 1 + tie : ratio < 1 - tie;
    if (better) {
      if (was_better)
        out.better.back().second = base.x;
      else
        out.better.emplace_back(base.x, base.x);
      if (overlap(*point, base)) out.sure = false;
      if (auto const doubt = indistinct(*point, base)) out.indistinct.push_back(*doubt);
    }
    was_better = better;
  }
  return out;
}

}  // namespace

std::vector<CurveChart> charts_of(Table const& table, ChartColumns const& columns) {
  std::size_t const x = column(table, columns.x);
  std::optional<std::size_t> const series =
      columns.series.empty() ? std::nullopt : std::optional(column(table, columns.series));
  SweepMetric const metric = metric_of(table, columns.y);
  std::vector<std::size_t> rows, parameters;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    if (table.rows[r][x].is_number() && metric.value[r]) rows.push_back(r);
  for (std::string const& name : table.parameters) parameters.push_back(column(table, name));
  ChartArranger const arranger(table, std::move(parameters), {x, series.value_or(x)});
  std::vector<CurveChart> out;
  for (ChartLayout const& layout : arranger.charts(rows, x, series, arranger.distinguishing(rows, x, series)))
    out.push_back(chart_of(metric, layout));
  return out;
}

bool more_is_better(std::string const& metric) {
  constexpr std::array<std::string_view, 5> rates{"gflops", "efficiency", "speedup", "utilization",
                                                  "utilization_first_90"};
  return std::find(rates.begin(), rates.end(), metric) != rates.end();
}

std::string CurveComparison::description(std::string const& x) const {
  if (ratios.empty()) return fmt::format("{} and {} have no point in common", name, baseline);
  std::string doubt = sure ? "" : " (confidence intervals overlap somewhere)";
  if (!indistinct.empty()) {
    IndistinctPoint const& first = indistinct.front();
    doubt += fmt::format(
        " (single runs not distinguishable at {} of {} points: at {} {:g} the difference of {:.1f} % is "
        "within {:.1f} %)",
        indistinct.size(), ratios.size(), x, first.x, 100 * first.difference, 100 * first.within);
  }
  if (better.empty()) return fmt::format("{} never beats {}", name, baseline);
  std::vector<std::string> where;
  for (auto const& interval : better) where.push_back(range(interval));
  bool const everywhere =
      better.size() == 1 && better.front() == std::pair{ratios.front().first, ratios.back().first};
  return fmt::format("{} beats {} at {}{} {}, by {}{}", name, baseline, everywhere ? "all " : "", x,
                     fmt::join(where, ", "), margin(), doubt);
}

std::string CurveComparison::margin() const {
  std::vector<double> percents;
  for (auto const& point : ratios)
    if (std::ranges::any_of(better,
                            [&](auto const& b) { return b.first <= point.first && point.first <= b.second; }))
      percents.push_back(100 * std::abs(point.second - 1));
  auto const [least, most] = std::ranges::minmax(percents);
  std::string const low = fmt::format("{:.1f}", least), high = fmt::format("{:.1f}", most);
  return low == high ? low + " %" : fmt::format("{} to {} %", low, high);
}

std::vector<CurveComparison> compare_curves(CurveChart const& chart, std::string const& baseline,
                                            std::string const& metric) {
  std::vector<CurveComparison> out;
  for (Curve const& base : chart.curves) {
    if (base.name != baseline) continue;
    for (Curve const& curve : chart.curves)
      if (curve.name != baseline) out.push_back(compare(curve, base, more_is_better(metric)));
  }
  return out;
}

}  // namespace factosim
