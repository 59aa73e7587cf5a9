#include "simulator/report/analysis/sweep_metric.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace factosim {

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
