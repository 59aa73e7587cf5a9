#include "simulator/report/analysis/sweep_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "simulator/base/core/sample.hpp"

namespace factosim {

std::string ChartLayout::description() const {
  std::string out;
  for (auto const& [name, value] : fixed) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, value);
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
    out.fixed.emplace_back(table_.columns[c], cell_text(table_.rows[row][c]));
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

SweepMetric::SweepMetric(Table const& table, std::string const& name)
    : table_(table), name_(name), makespan_(table.find("makespan_s")), bound_(table.find("bound_s")) {
  column_ = is_speedup() ? makespan_ : table.find(name);
  if (!column_) throw std::out_of_range("no column \"" + name + "\"");
}

std::optional<double> SweepMetric::number(std::optional<std::size_t> column, std::size_t row) const {
  if (!column || !table_.rows[row][*column].is_number()) return std::nullopt;
  return table_.rows[row][*column].get<double>();
}

std::optional<double> SweepMetric::value(std::size_t row) const {
  auto const value = number(column_, row);
  return value && is_speedup() ? 1 / *value : value;
}

std::optional<double> SweepMetric::bound(std::size_t row) const {
  auto const value = number(column_, row), time = number(makespan_, row), least = number(bound_, row);
  if (!value || !time || !least) return std::nullopt;
  if (name_ == "makespan_s") return least;
  if (name_ == "gflops") return *value * *time / *least;
  if (name_ == "efficiency") return 1;
  return std::nullopt;
}

std::vector<double> SweepMetric::known(std::vector<std::size_t> const& rows,
                                       std::optional<double> (SweepMetric::*of)(std::size_t) const) const {
  std::vector<double> out;
  for (std::size_t const row : rows)
    if (auto const v = (this->*of)(row)) out.push_back(*v);
  return out;
}

std::map<double, SweepMetric::BestBound> SweepMetric::best_bounds(ChartLayout const& chart) const {
  std::map<double, BestBound> best;
  for (ChartLayout::Line const& line : chart.lines)
    for (auto const& [x, rows] : line.rows) {
      auto const all = bounds(rows);
      if (all.empty()) continue;
      double const bound = mean_of(all);
      auto const [place, is_new] = best.try_emplace(x, BestBound{bound, rows});
      double const known = place->second.bound;
      if (name_ == "makespan_s" ? bound < known : bound > known) place->second = {bound, rows};
    }
  return best;
}

double mean_of(std::vector<double> const& values) {
  return values.size() == 1 ? values.front() : spread_of(values).mean;
}

double speedup_baseline(Table const& table, ChartLayout const& chart) {
  SweepMetric const makespan(table, "makespan_s");
  double first = std::numeric_limits<double>::infinity(), best = first;
  for (ChartLayout::Line const& line : chart.lines)
    for (auto const& [x, rows] : line.rows) {
      auto const values = makespan.values(rows);
      if (values.empty() || x > first) continue;
      if (x < first) best = std::numeric_limits<double>::infinity();
      first = x;
      best = std::min(best, mean_of(values));
    }
  return best;
}

}  // namespace factosim
