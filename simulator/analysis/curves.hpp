#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/analysis/table.hpp"
#include "simulator/core/sample.hpp"

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

}  // namespace factosim
