#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include "simulator/report/text/curves_latex.hpp"

using namespace factosim;

namespace {

/// Returns the number of columns that a row of a LaTeX table fills.
std::size_t columns_of(std::string const& row) {
  std::size_t columns = 1;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] == '&' && (i == 0 || row[i - 1] != '\\')) ++columns;
  for (std::size_t at = 0; (at = row.find("\\multicolumn{", at)) != std::string::npos; ++at)
    columns += static_cast<std::size_t>(std::stoul(row.substr(at + 13))) - 1;
  return columns;
}

/// Returns what is wrong with a table: rows of another width than the columns, open braces or formulas, lines
/// that are neither comments nor rows nor rules; else "".
std::string table_fault(std::string const& text) {
  std::istringstream lines(text);
  std::size_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("%")) continue;
    std::size_t braces = 0, formulas = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
        continue;
      }
      if (line[i] == '%') return "a comment within " + line;
      braces += line[i] == '{' ? 1U : 0U;
      braces -= line[i] == '}' ? 1U : 0U;
      formulas += line[i] == '$' ? 1U : 0U;
    }
    if (braces != 0 || formulas % 2 != 0) return "open in " + line;
    if (line.starts_with("\\begin{tabular}{")) {
      columns = line.size() - std::string_view("\\begin{tabular}{}").size();
      continue;
    }
    bool const rule = line.starts_with("\\toprule") || line.starts_with("\\midrule") ||
                      line.starts_with("\\bottomrule") || line.starts_with("\\cmidrule") ||
                      line.starts_with("\\end{tabular}");
    if (rule) continue;
    if (!line.ends_with(" \\\\")) return "no row: " + line;
    if (columns_of(line) != columns) return "another width: " + line;
  }
  return columns == 0 ? "no table" : "";
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("numbers in LaTeX tables have four digits, groups and no exponent of computers") {
    CHECK(latex_number(5.8249) == "$5.825$");
    CHECK(latex_number(0.01234567) == "$0.01235$");
    CHECK(latex_number(2870) == "$2870$");
    CHECK(latex_number(20000) == "$20\\,000$");
    CHECK(latex_number(23) == "$23$");
    CHECK(latex_number(1234567.8) == "$1\\,234\\,568$");
    CHECK(latex_number(-1.25) == "$-1.250$");
    CHECK(latex_number(0) == "$0$");
    CHECK(latex_number(1.2e-5) == "$1.200\\times10^{-5}$");
    CHECK(latex_number(3e12) == "$3.000\\times10^{12}$");
  }

  TEST_CASE(
      "a chart as a LaTeX table has values, intervals, differences to the baseline and what is missing") {
    CurveChart const chart{.where = "",
                           .curves = {{"block-cyclic", {{16, 4.0}, {20, 2.5}}},
                                      {"1d1d_c", {{16, 3.01, spread_of({2.91, 3.01, 3.11})}}}},
                           .bound = {"bound", {{16, 2.0}, {20, 1.75}}}};
    CHECK(curves_latex(chart,
                       {.title = "a\nb", .x = "Nodes", .y = "Makespan (s)", .baseline = "block-cyclic"}) ==
          "% a b\n"
          "% differences to block-cyclic\n"
          "% needs \\usepackage{booktabs}\n"
          "\\begin{tabular}{rrrrr}\n"
          "\\toprule\n"
          " & \\multicolumn{4}{c}{Makespan (s)} \\\\\n"
          "\\cmidrule(lr){2-5}\n"
          "Nodes & bound & block-cyclic & \\multicolumn{2}{c}{1d1d\\_c} \\\\\n"
          "\\midrule\n"
          // Student's t for two degrees of freedom, 4.3027, times 0.1 over the square root of 3.
          "$16$ & $2$ & $4$ & $3.010 \\pm 0.248$ & $-24.8$\\,\\% \\\\\n"
          "$20$ & $1.750$ & $2.500$ & -- & -- \\\\\n"
          "\\bottomrule\n"
          "\\end{tabular}\n");
  }

  TEST_CASE("LaTeX tables of any names and sizes are well formed") {
    std::mt19937 random(7);
    std::string const characters = "ab %&$#_{}\\~^\n\t\x7f-1";
    auto const name = [&] {
      std::string out;
      for (std::size_t n = 1 + random() % 12; n > 0; --n) out += characters[random() % characters.size()];
      return out;
    };
    for (int n = 0; n < 300; ++n) {
      CurveChart chart;
      for (std::size_t c = 1 + random() % 5; c > 0; --c) {
        Curve& curve = chart.curves.emplace_back(Curve{name()});
        for (int x = 0; x < 6; ++x)
          if (random() % 3 > 0)
            curve.points.push_back(
                {static_cast<double>(x), std::pow(10., static_cast<int>(random() % 20) - 10)});
      }
      if (random() % 2 == 0) chart.bound = {"bound", {{1, 2}}};
      std::string const baseline = random() % 2 == 0 ? chart.curves.front().name : "";
      std::string const text =
          curves_latex(chart, {.title = name(), .x = name(), .y = name(), .baseline = baseline});
      CAPTURE(text);
      CHECK(table_fault(text) == "");
    }
  }
}
