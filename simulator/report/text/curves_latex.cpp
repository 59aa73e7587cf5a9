#include "simulator/report/text/curves_latex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "simulator/report/text/run_comparison_latex.hpp"

namespace factosim {

namespace {

constexpr int digits = 4;

/// Returns a number with so many decimals, its whole part in groups of three digits.
std::string with_groups(double value, int decimals) {
  std::string out = fmt::format("{:.{}f}", std::abs(value), decimals);
  std::size_t const end = std::min(out.find('.'), out.size());
  for (std::size_t place = end; end > 4 && place > 3;) out.insert(place -= 3, "\\,");
  return (value < 0 ? "-" : "") + out;
}

/// Returns the number of decimals that leave `digits` significant digits; of a whole number none.
int decimals_of(double value) {
  if (value == std::round(value)) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, 12);
}

CurvePoint const* point_at(Curve const& curve, double x) {
  auto const found = std::ranges::find(curve.points, x, &CurvePoint::x);
  return found == curve.points.end() ? nullptr : &*found;
}

std::string cell(CurvePoint const* point) {
  if (point == nullptr) return "--";
  if (!point->spread || point->y == 0) return latex_number(point->y);
  double const half = (point->spread->ci95_high - point->spread->ci95_low) / 2;
  int const decimals = decimals_of(point->y);
  return fmt::format("${} \\pm {}$", with_groups(point->y, decimals), with_groups(half, decimals));
}

std::string difference(CurvePoint const* point, CurvePoint const* base) {
  if (point == nullptr || base == nullptr || base->y == 0) return "--";
  return fmt::format("${:+.1f}$\\,\\%", 100 * (point->y / base->y - 1));
}

}  // namespace

std::string latex_number(double value) {
  if (std::isnan(value)) return "--";
  double const size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e7))
    return fmt::format("${}$", with_groups(value, decimals_of(value)));
  std::string const text = fmt::format("{:.{}e}", value, digits - 1);
  std::size_t const e = text.find('e');
  return fmt::format("${}\\times10^{{{}}}$", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

std::string curves_latex(CurveChart const& chart, CurveTable const& table) {
  auto const base = std::ranges::find(chart.curves, table.baseline, &Curve::name);
  bool const compared = !table.baseline.empty() && base != chart.curves.end() && chart.curves.size() > 1;
  std::set<double> xs;
  for (Curve const& c : chart.curves)
    for (CurvePoint const& p : c.points) xs.insert(p.x);

  std::string names = latex_escaped(table.x), columns = "r";
  if (!chart.bound.points.empty()) names += " & bound", columns += "r";
  for (auto c = chart.curves.begin(); c != chart.curves.end(); ++c) {
    bool const two = compared && c != base;
    std::string const name = latex_escaped(c->name);
    names += two ? fmt::format(" & \\multicolumn{{2}}{{c}}{{{}}}", name) : " & " + name;
    columns += two ? "rr" : "r";
  }
  std::string out = fmt::format("% {}\n", latex_escaped(table.title));
  auto const add = std::back_inserter(out);
  if (compared) fmt::format_to(add, "% differences to {}\n", latex_escaped(base->name));
  fmt::format_to(add,
                 "% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{0}}}\n\\toprule\n & "
                 "\\multicolumn{{{1}}}{{c}}{{{2}}} \\\\\n\\cmidrule(lr){{2-{3}}}\n{4} \\\\\n\\midrule\n",
                 columns, columns.size() - 1, latex_escaped(table.y), columns.size(), names);
  for (double const x : xs) {
    out += latex_number(x);
    if (!chart.bound.points.empty()) out += " & " + cell(point_at(chart.bound, x));
    for (auto c = chart.curves.begin(); c != chart.curves.end(); ++c) {
      out += " & " + cell(point_at(*c, x));
      if (compared && c != base) out += " & " + difference(point_at(*c, x), point_at(*base, x));
    }
    out += " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace factosim
