#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/report/analysis/curves.hpp"
#include "simulator/report/figures/figure_style.hpp"

namespace factosim {

/// A plot of curves over x.
struct LinePlot {
  std::string title, x, y;  // x, y: labels of the axes
  std::string legend{};     // what the names of the curves are, above them; empty: nothing
  std::vector<Curve> curves;
  std::vector<Curve> bounds;  // drawn in grey
};

/// Draws plots below each other: points joined by lines; points with replicas have a bar for the 95 %
/// confidence interval of the mean. The y axis begins at 0 unless it is logarithmic or has a range. No two of
/// twelve curves have the same mark and dash. Texts neither overlap nor leave the picture. The numbers are
/// the points. Deterministic. Throws InputError if an axis cannot be drawn as the options ask.
[[nodiscard]] Drawing draw_line_plots(std::span<LinePlot const> plots, FigureOptions const& options = {});

/// Returns at most `maximum` round numbers between about `first` and `last`; their distance is 1, 2 or 5
/// times a power of ten.
[[nodiscard]] std::vector<double> axis_ticks(double first, double last, int maximum);
/// The same for a logarithmic axis: powers of ten, with 2 and 5 or with 3 times these if there is room; ticks of a
/// linear axis if fewer than two of them lie within.
[[nodiscard]] std::vector<double> logarithmic_ticks(double first, double last, int maximum);
/// Returns a number as an axis shows it: "0.25", "200 000", "2e-06".
[[nodiscard]] std::string tick_label(double value);

}  // namespace factosim
