#include "simulator/report/text/run_comparison_latex.hpp"

#include <fmt/format.h>

#include <cmath>

namespace factosim {

namespace {

class LatexTable {
 public:
  LatexTable(std::string_view a, std::string_view b) {
    out_ = fmt::format(
        "% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{lrrrr}}\n\\toprule\n & {} & {} & difference & "
        "\\\\\n"
        "\\midrule\n",
        latex_escaped(a), latex_escaped(b));
  }

  void seconds(std::string_view name, double a, double b) { line(name, a, b, "\\,s"); }
  void count(std::string_view name, double a, double b) { line(name, a, b, ""); }
  void part(std::string_view name, double difference, double makespan_a) {
    out_ += fmt::format("\\quad {} & & & ${:+.4g}$\\,s & ${:+.1f}$\\,\\% \\\\\n", latex_escaped(name),
                        difference, 100 * difference / makespan_a);
  }
  void rule() { out_ += "\\midrule\n"; }
  void heading(std::string_view text) { out_ += latex_escaped(text) + " \\\\\n"; }
  [[nodiscard]] std::string text() && { return std::move(out_) + "\\bottomrule\n\\end{tabular}\n"; }

 private:
  static std::string number(double value) { return std::isnan(value) ? "--" : fmt::format("{:.4g}", value); }

  void line(std::string_view name, double a, double b, std::string_view unit) {
    bool const known = !std::isnan(a) && !std::isnan(b);
    out_ += fmt::format("{} & {}{} & {}{} & {} & {} \\\\\n", latex_escaped(name), number(a), unit, number(b),
                        unit, known ? fmt::format("${:+.4g}${}", b - a, unit) : "--",
                        known && a != 0 ? fmt::format("${:+.1f}$\\,\\%", 100 * (b - a) / std::abs(a)) : "--");
  }

  std::string out_;
};

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
  RunSummary const &a = c.a.summary, &b = c.b.summary;
  LatexTable out(name_a, name_b);
  out.seconds("makespan", a.makespan_s, b.makespan_s);
  out.seconds("area bound", a.abe_s, b.abe_s);
  out.seconds("critical path", a.critical_path_s, b.critical_path_s);
  out.seconds("busy time of a worker, mean", a.busy_s() / static_cast<double>(a.workers),
              b.busy_s() / static_cast<double>(b.workers));
  out.count("tasks", static_cast<double>(a.tasks), static_cast<double>(b.tasks));
  if (c.parts) {
    out.rule();
    out.heading("causes of the difference");
    for (std::size_t i = 0; i < difference_causes; ++i)
      out.part(name_of(static_cast<DifferenceCause>(i)), c.parts->parts[i].seconds, a.makespan_s);
  }
  return std::move(out).text();
}

}  // namespace factosim
