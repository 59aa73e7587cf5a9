#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/sweep_record.hpp"

namespace factosim {

/// The rows of a table that form the points of one chart: lines over x.
struct ChartLayout {
  struct Line {
    std::string name;                                 // text of the series column; "" without one
    std::map<double, std::vector<std::size_t>> rows;  // by x; several rows: replicas
  };
  std::vector<std::pair<std::string, std::string>>
      fixed;                // the other parameters that the rows state, and their values
  std::vector<Line> lines;  // in the order of the table

  /// "application/nt 50, scheduler/type dmdas", or with the labels of these columns.
  [[nodiscard]] std::string description(std::string (*label)(std::string_view) = nullptr) const;
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

/// A metric at one x: the mean of its replicas.
struct CurvePoint {
  double x = 0, y = 0;
  std::optional<Spread> spread{};  // of two or more replicas
};

struct Curve {
  std::string name;
  std::vector<CurvePoint> points{};  // x increases
};

/// Curves of rows that differ only in x and in the name of the curve.
struct CurveChart {
  std::string where;          // values of the other parameters: "application/nt 50, scheduler/type dmdas"
  std::vector<Curve> curves;  // in the order of the table
  Curve bound{};              // at each x the best bound of all curves, which no schedule beats; may be empty
};

/// Computes the curves of a plot of lines, in one chart for each combination of the other parameters (see
/// ChartArranger). x and y hold numbers, y may also be "speedup". Rows without x or y are left out. Throws
/// std::out_of_range if a column does not exist.
[[nodiscard]] std::vector<CurveChart> charts_of(Table const& table, SweepPlot const& plot);

/// A difference that may be the other way round in single runs.
struct IndistinctPoint {
  double x = 0;
  double difference = 0;  // of the means, relative to the baseline's
  double within = 0;      // half the width of the interval of the difference of two runs, likewise
};

/// Intervals in which one curve is better than the baseline.
struct CurveComparison {
  std::string name, baseline;
  std::vector<std::pair<double, double>> ratios;  // x, and metric over the baseline's
  std::vector<std::pair<double, double>> better;  // intervals of x (first, last), increasing
  std::vector<IndistinctPoint> indistinct;  // of `better`, by x: where replicas cannot tell two runs apart
  bool sure = true;  // in `better` the 95 % confidence intervals do not overlap, or none are known

  /// "1d1d beats block-cyclic at nodes 18 to 50, by 2.1 to 8.9 %": at points that both have, by the range of the
  /// differences there, relative to the baseline.
  [[nodiscard]] std::string description(std::string const& x) const;

 private:
  [[nodiscard]] std::string margin() const;  // "2.1 to 8.9 %"
};

/// Compares every other curve of the chart with the one called `baseline`, at each x where both have a
/// value. Ties are not better. Returns nothing if the chart has no such curve.
[[nodiscard]] std::vector<CurveComparison> compare_curves(CurveChart const& chart,
                                                          std::string const& baseline,
                                                          std::string const& metric);

}  // namespace factosim
