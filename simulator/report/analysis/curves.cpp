#include "simulator/report/analysis/curves.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace factosim {

std::string ChartLayout::description(std::string (*label)(std::string_view)) const {
  std::string out;
  for (auto const& [name, value] : fixed)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", label == nullptr ? name : label(name), value);
  return out;
}

ChartArranger::ChartArranger(Table const& table, std::vector<std::size_t> parameters,
                             std::vector<std::size_t> const& axes)
    : table_(table), parameters_(std::move(parameters)), codes_(table.columns.size()) {
  for (std::size_t const column : parameters_) encode(column);
  for (std::size_t const column : axes) encode(column);
}

void ChartArranger::encode(std::size_t column) {
  if (!codes_[column].empty()) return;
  std::unordered_map<std::string, std::uint32_t> known;
  for (auto const& row : table_.rows)
    codes_[column].push_back(
        known.try_emplace(cell_text(row[column]), static_cast<std::uint32_t>(known.size())).first->second);
}

ChartArranger::Combinations ChartArranger::combinations(std::vector<std::size_t> const& rows,
                                                        std::vector<std::size_t> const& columns) const {
  Combinations out{.of = std::vector<std::size_t>(rows.size(), 0), .count = rows.empty() ? 0U : 1U};
  for (std::size_t const column : columns) {
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::uint64_t const pair = std::uint64_t{out.of[i]} << 32U | codes_[column][rows[i]];
      out.of[i] = known.try_emplace(pair, known.size()).first->second;
    }
    out.count = known.size();
  }
  return out;
}

std::vector<std::size_t> ChartArranger::distinguishing(std::vector<std::size_t> const& rows, std::size_t x,
                                                       std::optional<std::size_t> series) const {
  auto const determined = [&](std::vector<std::size_t> by, std::size_t column) {
    std::size_t const count = combinations(rows, by).count;
    by.push_back(column);
    return combinations(rows, by).count == count;
  };
  std::vector<std::size_t> by{x};
  if (series) by.push_back(*series);
  std::vector<std::size_t> out;
  for (std::size_t const column : parameters_)
    if (column != x && column != series && !determined(by, column)) out.push_back(column);
  // Of parameters that determine each other the last one stays: labels follow keys.
  for (std::size_t i = 0; i < out.size();) {
    std::vector<std::size_t> others = by;
    std::ranges::copy_if(out, std::back_inserter(others), [&](std::size_t c) { return c != out[i]; });
    if (determined(others, out[i]))
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return out;
}

ChartLayout ChartArranger::place(std::size_t row, std::vector<std::size_t> const& distinguishing) const {
  ChartLayout out;
  for (std::size_t const c : distinguishing)
    if (auto const& cell = table_.rows[row][c]; !cell.is_null())
      out.fixed.emplace_back(table_.columns[c], cell_text(cell));
  return out;
}

std::vector<ChartLayout> ChartArranger::charts(std::vector<std::size_t> const& rows, std::size_t x,
                                               std::optional<std::size_t> series,
                                               std::vector<std::size_t> const& columns) const {
  Combinations const chart = combinations(rows, columns);
  std::vector<ChartLayout> out(chart.count);
  std::unordered_map<std::string, std::size_t> line;  // place of a line in its chart, by chart and name
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& row = table_.rows[rows[i]];
    ChartLayout& in = out[chart.of[i]];
    if (in.lines.empty()) in = place(rows[i], columns);
    std::string const name = series ? cell_text(row[*series]) : "";
    auto const [place, is_new] = line.try_emplace(fmt::format("{} {}", chart.of[i], name), in.lines.size());
    if (is_new) in.lines.push_back({name, {}});
    double const at = row[x].is_number() ? row[x].get<double>() : codes_[x][rows[i]];
    in.lines[place->second].rows[at].push_back(rows[i]);
  }
  return out;
}

SweepMetric metric_of(Table const& table, std::string const& name) {
  auto const numbers = [&](std::string_view column) {
    SweepMetric::Numbers out(table.rows.size());
    if (auto const c = table.find(column))
      for (std::size_t r = 0; r < out.size(); ++r)
        if (table.rows[r][*c].is_number()) out[r] = table.rows[r][*c].get<double>();
    return out;
  };
  std::string const column = name == "speedup" ? "makespan_s" : name;
  (void)table.place_of(column);
  SweepMetric out{.name = name,
                  .value = numbers(column),
                  .bound = SweepMetric::Numbers(table.rows.size()),
                  .makespan = numbers("makespan_s")};
  SweepMetric::Numbers const least = numbers("bound_s");
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (!out.value[r]) continue;
    if (out.makespan[r] && least[r]) {
      if (name == "makespan_s") out.bound[r] = least[r];
      if (name == "gflops") out.bound[r] = *out.value[r] * *out.makespan[r] / *least[r];
      if (name == "efficiency") out.bound[r] = 1;
    }
    if (out.is_speedup()) out.value[r] = 1 / *out.value[r];
  }
  return out;
}

std::vector<double> known_numbers(SweepMetric::Numbers const& numbers, std::vector<std::size_t> const& rows) {
  std::vector<double> out;
  for (std::size_t const row : rows)
    if (numbers[row]) out.push_back(*numbers[row]);
  return out;
}

std::map<double, BestBound> best_bounds(SweepMetric const& metric, ChartLayout const& chart) {
  std::map<double, BestBound> best;
  for (ChartLayout::Line const& line : chart.lines)
    for (auto const& [x, rows] : line.rows) {
      auto const all = known_numbers(metric.bound, rows);
      if (all.empty()) continue;
      double const bound = mean_of(all);
      auto const [place, is_new] = best.try_emplace(x, BestBound{bound, rows});
      double const before = place->second.bound;
      if (metric.name == "makespan_s" ? bound < before : bound > before) place->second = {bound, rows};
    }
  return best;
}

double mean_of(std::vector<double> const& values) {
  return values.size() == 1 ? values.front() : spread_of(values).mean;
}

double speedup_baseline(SweepMetric const& metric, ChartLayout const& chart) {
  double first = std::numeric_limits<double>::infinity(), best = first;
  for (ChartLayout::Line const& line : chart.lines)
    for (auto const& [x, rows] : line.rows) {
      auto const values = known_numbers(metric.makespan, rows);
      if (values.empty() || x > first) continue;
      if (x < first) best = std::numeric_limits<double>::infinity();
      first = x;
      best = std::min(best, mean_of(values));
    }
  return best;
}

namespace {

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
  auto const found = std::ranges::find(curve.points, x, &CurvePoint::x);
  return found == curve.points.end() ? nullptr : &*found;
}

bool overlap(CurvePoint const& a, CurvePoint const& b) {
  if (!a.spread || !b.spread) return false;
  return a.spread->ci95_low <= b.spread->ci95_high && b.spread->ci95_low <= a.spread->ci95_high;
}

constexpr double probability = 0.95;  // of the interval of the difference of two runs

/// Returns the difference if an interval for that of two single runs contains it.
std::optional<IndistinctPoint> indistinct(CurvePoint const& point, CurvePoint const& base) {
  if (!point.spread || !base.spread) return std::nullopt;
  double const difference = std::abs(point.y - base.y);
  double const within =
      difference_half_width(moments(point.spread->values), moments(base.spread->values), probability);
  if (difference > within) return std::nullopt;
  return IndistinctPoint{base.x, difference / std::abs(base.y), within / std::abs(base.y)};
}

/// Returns true if higher values of the metric are better: rates and shares.
bool more_is_better(std::string const& metric) {
  constexpr std::array<std::string_view, 5> rates{"gflops", "efficiency", "speedup", "utilization",
                                                  "utilization_first_90"};
  return std::ranges::find(rates, metric) != rates.end();
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

std::vector<CurveChart> charts_of(Table const& table, SweepPlot const& plot) {
  std::size_t const x = table.place_of(plot.x);
  std::optional<std::size_t> const series =
      plot.series.empty() ? std::nullopt : std::optional(table.place_of(plot.series));
  SweepMetric const metric = metric_of(table, plot.y);
  std::vector<std::size_t> rows, parameters;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    if (table.rows[r][x].is_number() && metric.value[r]) rows.push_back(r);
  for (std::string const& name : table.parameters) parameters.push_back(table.place_of(name));
  ChartArranger const arranger(table, std::move(parameters), {x, series.value_or(x)});
  std::vector<CurveChart> out;
  for (ChartLayout const& layout : arranger.charts(rows, x, series, arranger.distinguishing(rows, x, series)))
    out.push_back(chart_of(metric, layout));
  return out;
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
