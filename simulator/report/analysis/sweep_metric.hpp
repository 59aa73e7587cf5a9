#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/chart_layout.hpp"
#include "simulator/report/analysis/table.hpp"

namespace factosim {

/// The quantity that charts of a sweep show over x: a result of the points, or their speed-up.
///
/// The speed-up of a point is relative to a baseline that differs from chart to chart; its value is 1 /
/// makespan, to be multiplied by the baseline of the chart.
class SweepMetric {
 public:
  /// `name`: a column of the table, or "speedup". Throws std::out_of_range if the column does not exist.
  SweepMetric(Table const& table, std::string const& name);

  /// Returns nothing if the row has no number.
  [[nodiscard]] std::optional<double> value(std::size_t row) const;
  /// Returns the bound on the metric of a point: a minimum makespan, a maximum rate, an efficiency of 1.
  /// Nothing if it is unknown.
  [[nodiscard]] std::optional<double> bound(std::size_t row) const;

  /// Returns the values, or bounds, of several rows. Rows without one are omitted.
  [[nodiscard]] std::vector<double> values(std::vector<std::size_t> const& rows) const {
    return known(rows, &SweepMetric::value);
  }
  [[nodiscard]] std::vector<double> bounds(std::vector<std::size_t> const& rows) const {
    return known(rows, &SweepMetric::bound);
  }

  struct BestBound {
    double bound = 0;               // mean of the rows
    std::vector<std::size_t> rows;  // of the point that has it
  };
  /// Returns the best bound of all lines, by x.
  [[nodiscard]] std::map<double, BestBound> best_bounds(ChartLayout const& chart) const;

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] bool is_speedup() const { return name_ == "speedup"; }

 private:
  [[nodiscard]] std::vector<double> known(std::vector<std::size_t> const& rows,
                                          std::optional<double> (SweepMetric::*of)(std::size_t) const) const;
  [[nodiscard]] std::optional<double> number(std::optional<std::size_t> column, std::size_t row) const;

  Table const& table_;
  std::string name_;
  std::optional<std::size_t> column_, makespan_, bound_;
};

/// Returns the mean; of equal values exactly that value.
[[nodiscard]] double mean_of(std::vector<double> const& values);

/// Returns the makespan to which the speed-ups of a chart refer: the minimum over all lines of the mean at
/// the smallest x.
[[nodiscard]] double speedup_baseline(Table const& table, ChartLayout const& chart);

}  // namespace factosim
