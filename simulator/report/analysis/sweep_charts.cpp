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

SweepMetric metric_of(Table const& table, std::string const& name) {
  auto const numbers = [&](std::string_view column) {
    SweepMetric::Numbers out(table.rows.size());
    if (auto const c = table.find(column))
      for (std::size_t r = 0; r < out.size(); ++r)
        if (table.rows[r][*c].is_number()) out[r] = table.rows[r][*c].get<double>();
    return out;
  };
  std::string const column = name == "speedup" ? "makespan_s" : name;
  if (!table.find(column)) throw std::out_of_range("no column \"" + name + "\"");
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

}  // namespace factosim
