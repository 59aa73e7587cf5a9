#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/report/analysis/table.hpp"

namespace factosim {

/// The rows of a table that form the points of one chart: lines over x.
struct ChartLayout {
  struct Line {
    std::string name;                                 // text of the series column; "" without one
    std::map<double, std::vector<std::size_t>> rows;  // by x; several rows: replicas
  };
  std::vector<std::pair<std::string, std::string>> fixed;  // the other parameters and their values
  std::vector<Line> lines;                                 // in the order of the table

  [[nodiscard]] std::string description() const;  // "application/nt 50, scheduler/type dmdas"
};

/// Arranges the rows of a table in charts: one chart for each combination of the parameters that x and the
/// series leave open, one line for each value of the series.
class ChartArranger {
 public:
  /// `parameters`: columns that may distinguish charts; `axes`: columns that may be x or the series.
  ChartArranger(Table const& table, std::vector<std::size_t> parameters,
                std::vector<std::size_t> const& axes);

  /// Returns the parameters that distinguish the charts of `rows`: the smallest set, greedily from the first,
  /// that together with x and the series determines all others. O(parameters^2 rows).
  [[nodiscard]] std::vector<std::size_t> distinguishing(std::vector<std::size_t> const& rows, std::size_t x,
                                                        std::optional<std::size_t> series) const;

  /// Returns the charts of `rows`, in the order of the table, given the parameters that distinguish them. A
  /// text on the x axis stands at the number of its first occurrence.
  [[nodiscard]] std::vector<ChartLayout> charts(std::vector<std::size_t> const& rows, std::size_t x,
                                                std::optional<std::size_t> series,
                                                std::vector<std::size_t> const& distinguishing) const;

  /// Returns the chart without lines to which `row` belongs, given the parameters that distinguish charts.
  [[nodiscard]] ChartLayout place(std::size_t row, std::vector<std::size_t> const& distinguishing) const;

  /// Combinations of values of several columns, numbered by their first occurrence.
  struct Combinations {
    std::vector<std::size_t> of;  // [rows]
    std::size_t count = 0;
  };
  [[nodiscard]] Combinations combinations(std::vector<std::size_t> const& rows,
                                          std::vector<std::size_t> const& columns) const;

 private:
  void encode(std::size_t column);

  Table const& table_;
  std::vector<std::size_t> parameters_;
  std::vector<std::vector<std::uint32_t>> codes_;  // [columns][rows] equal texts have equal codes
};

/// The quantity that charts of a sweep show over x: a result of the points, or their speed-up.
///
/// The speed-up of a point is relative to a baseline that differs from chart to chart; its value is 1 /
/// makespan, to be multiplied by the baseline of the chart.
struct SweepMetric {
  using Numbers = std::vector<std::optional<double>>;  // [rows] nothing: the row has no number

  std::string name;
  Numbers value;
  Numbers bound;  // on the metric: a minimum makespan, a maximum rate, an efficiency of 1
  Numbers makespan;

  [[nodiscard]] bool is_speedup() const { return name == "speedup"; }
};

/// `name`: a column of the table, or "speedup". Throws std::out_of_range if the column does not exist.
[[nodiscard]] SweepMetric metric_of(Table const& table, std::string const& name);

/// Returns the numbers of several rows. Rows without one are omitted.
[[nodiscard]] std::vector<double> known_numbers(SweepMetric::Numbers const& numbers,
                                                std::vector<std::size_t> const& rows);

struct BestBound {
  double bound = 0;               // mean of the rows
  std::vector<std::size_t> rows;  // of the point that has it
};
/// Returns the best bound of all lines, by x.
[[nodiscard]] std::map<double, BestBound> best_bounds(SweepMetric const& metric, ChartLayout const& chart);

/// Returns the mean; of equal values exactly that value.
[[nodiscard]] double mean_of(std::vector<double> const& values);

/// Returns the makespan to which the speed-ups of a chart refer: the minimum over all lines of the mean at
/// the smallest x.
[[nodiscard]] double speedup_baseline(SweepMetric const& metric, ChartLayout const& chart);

}  // namespace factosim
