#include "simulator/report/text/run_comparison_latex.hpp"

#include <fmt/format.h>

#include <cmath>

namespace factosim {

namespace {

/// Returns the row of a total: both values, their difference, and that in percent.
std::string row_of(ComparedTotal const& total) {
  auto const [name, a, b, seconds] = total;
  char const* const unit = seconds ? "\\,s" : "";
  bool const known = !std::isnan(a) && !std::isnan(b);
  auto const number = [](double value) { return std::isnan(value) ? "--" : fmt::format("{:.4g}", value); };
  return fmt::format("{} & {}{} & {}{} & {} & {} \\\\\n", latex_escaped(name), number(a), unit, number(b),
                     unit, known ? fmt::format("${:+.4g}${}", b - a, unit) : "--",
                     known && a != 0 ? fmt::format("${:+.1f}$\\,\\%", 100 * (b - a) / std::abs(a)) : "--");
}

}  // namespace

std::string latex_escaped(std::string_view text) {
  std::string out;
  for (char const c : text) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += {'\\', c};
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return out;
}

std::string run_comparison_latex(RunComparison const& c, std::string_view name_a, std::string_view name_b) {
  std::string out = fmt::format(
      "% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{lrrrr}}\n\\toprule\n & {} & {} & difference & "
      "\\\\\n"
      "\\midrule\n",
      latex_escaped(name_a), latex_escaped(name_b));
  for (ComparedTotal const& total : compared_totals(c)) out += row_of(total);
  if (c.parts) out += "\\midrule\ncauses of the difference \\\\\n";
  for (std::size_t i = 0; c.parts && i < difference_causes; ++i) {
    double const seconds = c.parts->parts[i].seconds;
    out += fmt::format("\\quad {} & & & ${:+.4g}$\\,s & ${:+.1f}$\\,\\% \\\\\n",
                       name_of(static_cast<DifferenceCause>(i)), seconds,
                       100 * seconds / c.a.summary.makespan_s);
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace factosim
