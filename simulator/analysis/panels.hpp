#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "factosim/spread.hpp"
#include "simulator/analysis/table.hpp"

namespace factosim {

/// A metric at one x: the mean of its replicas.
struct CurvePoint {
  double x = 0, y = 0;
  std::optional<Spread> spread{};  // of two replicas or more
};

struct Curve {
  std::string name;
  std::vector<CurvePoint> points{};  // x increases
};

/// Rows that differ in x and in the name of the curve only.
struct CurvePanel {
  std::vector<std::pair<std::string, std::string>> fixed;  // columns and their values
  std::vector<Curve> curves;                               // in the order of the table

  [[nodiscard]] std::string description() const;  // "application/nt 50, scheduler/type dmdas"
};

/// What to take from a table: numbers in the columns x and y; a curve for each text in `series` (none: one
/// curve).
struct PanelColumns {
  std::string x, y, series;
};

/// Curves of a table, one panel for each combination of the other parameters that matter: those that the
/// values of x and series do not settle. Rows without x or y are left out. Throws std::out_of_range where a
/// column does not exist.
[[nodiscard]] std::vector<CurvePanel> panels_of(Table const& table, PanelColumns const& columns);

}  // namespace factosim
