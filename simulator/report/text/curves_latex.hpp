#pragma once

#include <string>

#include "simulator/report/analysis/curves.hpp"

namespace factosim {

/// What the columns of a table of curves are called.
struct CurveTable {
  std::string title;     // a comment of the table
  std::string x, y;      // labels
  std::string baseline;  // the curve with which the others are compared; empty: none
};

/// Returns a chart as a LaTeX table (package booktabs): a row for each x, a column for each curve and for the
/// bound, and the differences to the baseline in percent. Values with replicas have the half width of the
/// 95 % confidence interval of the mean.
[[nodiscard]] std::string curves_latex(CurveChart const& chart, CurveTable const& table);

/// Returns a number with four significant digits, or all of a whole one, as LaTeX shows it: "$5.825$", "$20\,000$",
/// "$1.2\times10^{-5}$".
[[nodiscard]] std::string latex_number(double value);

}  // namespace factosim
