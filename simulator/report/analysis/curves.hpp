#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/table.hpp"

namespace factosim {

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

/// Columns of a chart: x and y hold numbers, y may also be "speedup"; one curve for each text in `series`
/// ("": one curve).
struct ChartColumns {
  std::string x, y, series;
};

/// Computes the curves of a table, in one chart for each combination of the other parameters (see
/// ChartArranger). Rows without x or y are left out. Throws std::out_of_range if a column does not exist.
[[nodiscard]] std::vector<CurveChart> charts_of(Table const& table, ChartColumns const& columns);

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

/// Returns true if higher values of the metric are better: rates and shares.
[[nodiscard]] bool more_is_better(std::string const& metric);

/// Compares every other curve of the chart with the one called `baseline`, at each x where both have a
/// value. Ties are not better. Returns nothing if the chart has no such curve.
[[nodiscard]] std::vector<CurveComparison> compare_curves(CurveChart const& chart,
                                                          std::string const& baseline,
                                                          std::string const& metric);

}  // namespace factosim
