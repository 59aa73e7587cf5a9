#include "simulator/report/text/run_comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>
#include <utility>

#include "simulator/base/core/quantity_text.hpp"
#include "simulator/report/analysis/report_colors.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_rows = 8;

class ComparisonText {
 public:
  ComparisonText(RunComparison const& c, SummaryLength length)
      : c_(c), a_(c.a.summary), b_(c.b.summary), all_(length == SummaryLength::all || !c.traced()) {}

  std::string text(std::vector<ToleranceCheck> const& checks) {
    put("A  {}\nB  {}\n\n", about(c_.a), about(c_.b));
    totals();
    if (c_.traced()) all_ ? causes() : main_causes();
    if (c_.proof) proof(*c_.proof);
    if (c_.traced() && all_) {
      own_means();
      workers();
      kernels();
    }
    if (all_) nodes();
    if (c_.traced() && all_) {
      links("messages", a_.messages, b_.messages);
      links("copies", a_.copies, b_.copies);
    }
    findings("A", a_.findings);
    findings("B", b_.findings);
    tolerances(checks);
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out_ += fmt::format(format, std::forward<Arguments>(arguments)...);
  }

  static std::string about(ComparedRun const& run) {
    return fmt::format("{} ({}{})", run.summary.source, run.summary.format,
                       run.traced ? "" : ", totals only: the run kept no trace");
  }

  void findings(std::string_view run, std::vector<std::string> const& findings) {
    if (!findings.empty()) put("\nfindings about {}\n", run);
    for (std::string const& finding : findings) put("  {}\n", finding);
  }

  // ---- rows of two values and their difference ----

  void title(std::string_view name) { put("\n{:<34}{:>14}{:>14}{:>14}\n", name, "A", "B", "B - A"); }

  static std::string percent(double a, double b) {
    if (a == 0 || std::isnan(a) || std::isnan(b)) return "";
    return format_change((b - a) / std::abs(a));
  }
  static std::string seconds(double s) { return std::isnan(s) ? "-" : format_duration(Seconds{s}); }

  static std::string change(double s) { return format_difference(Seconds{s}); }

  void row(std::string_view name, double a, double b) {
    put("{:<34}{:>14}{:>14}{:>14}{:>11}\n", name, seconds(a), seconds(b),
        change(std::isnan(a) || std::isnan(b) ? 0 : b - a), percent(a, b));
  }
  void count_row(std::string_view name, double a, double b) {
    put("{:<34}{:>14.6g}{:>14.6g}{:>14}{:>11}\n", name, a, b, a == b ? "0" : fmt::format("{:+.6g}", b - a),
        percent(a, b));
  }

  void distinction(Distinction const& d) {
    std::string const width =
        fmt::format("+- {}, by which single runs of {} differ (95 %)", seconds(d.half_width_s),
                    d.both_repeated ? "them" : "the repeated one");
    put("  {}{}\n",
        d.distinct ? fmt::format("B is {}: beyond {}", c_.difference_s() < 0 ? "faster" : "slower", width)
                   : "neither is faster: the difference is within " + width,
        d.both_repeated ? "; means of the further runs: B - A = " + change(d.means_difference_s) : "");
  }

  void totals() {
    put("{:<34}{:>14}{:>14}{:>14}\n",
        c_.start == RunStart::first_task ? "from the start of the first task" : "", "A", "B", "B - A");
    for (ComparedTotal const& total : compared_totals(c_)) {
      if (!all_ && total.label != "makespan") continue;
      if (total.seconds)
        row(total.label, total.a, total.b);
      else
        count_row(total.label, total.a, total.b);
      if (total.label == "makespan" && c_.distinction) distinction(*c_.distinction);
    }
  }

  // ---- causes ----

  /// Seconds that count for a cause, as measured, and on the chains.
  void cause(std::string_view name, double seconds, double measured, double on_chains) {
    put("  {:<36}{:>14}{:>11}{:>14}{:>14}\n", name, change(seconds), format_change(seconds / a_.makespan_s),
        change(measured), change(on_chains));
  }

  /// Prints the causes that move the makespan by a thousandth at least, the largest first, and the sum of the others.
  void main_causes() {
    std::vector<std::pair<std::string_view, double>> rows;
    for (std::size_t i = 0; i < difference_causes; ++i)
      rows.emplace_back(name_of(static_cast<DifferenceCause>(i)), c_.parts->parts[i].seconds);
    std::ranges::stable_sort(rows, std::greater(), [](auto const& row) { return std::abs(row.second); });
    put("\nWhere the difference comes from\n");
    auto const row = [this](std::string_view name, double seconds, double least) {
      if (std::abs(seconds) < least * a_.makespan_s) return false;
      put("  {:<60}{:>14}{:>11}\n", name, change(seconds), format_change(seconds / a_.makespan_s));
      return true;
    };
    double others = 0;
    for (auto const& [name, seconds] : rows)
      if (!row(name, seconds, 1e-3)) others += seconds;
    row("others, each below 0.1 %", others, 1e-4);
    conclusions();
  }

  void causes() {
    using enum DifferenceCause;
    DifferenceParts const& parts = *c_.parts;
    put("\nWhere the difference comes from\n{:>52}{:>25}{:>14}\n", "B - A", "measured", "on chains");
    for (std::size_t i = 0; i < difference_causes; ++i) {
      auto const name = static_cast<DifferenceCause>(i);
      DifferenceParts::Part const& part = parts.parts[i];
      cause(name_of(name), part.seconds, part.measured_s, part.on_chains_s);
      if (name == kernels) largest(parts.kernels);
      if (name == between_nodes && parts.traces.map)
        detail("area bound of the most loaded node", parts.node_bound_s);
      if (name == messages) on_chain("in flight", Wait::message), on_chain("waiting to be sent", Wait::send);
      if (name == copies && !a_.copies.empty() && !b_.copies.empty())
        put("    mean of all copies: {} and {}\n", seconds(RunSummary::mean_transfer_s(a_.copies)),
            seconds(RunSummary::mean_transfer_s(b_.copies)));
      if (name == overhead)
        on_chain("submission", Wait::submission), on_chain("ready and not started", Wait::scheduling);
      if (name == order) detail("work of the most loaded worker", parts.worker_load_s);
    }
    cause("sum", parts.sum(), parts.sum(), c_.chains.sum());
    conclusions();
  }

  /// Prints the kernels with the largest shares of the cause above.
  void largest(std::map<KernelOn, double> const& kernels) {
    std::vector<std::pair<std::string, double>> rows;
    for (auto const& [kernel, seconds] : kernels) rows.emplace_back(kernel.text(), seconds);
    std::ranges::stable_sort(rows, std::greater(), [](auto const& row) { return std::abs(row.second); });
    for (auto const& [name, seconds] : rows | std::views::take(max_rows)) detail(name, seconds);
  }

  /// Prints a share of the cause above, unless it is below a ten-thousandth of the makespan.
  void detail(std::string_view name, double seconds) {
    if (std::abs(seconds) > 1e-4 * a_.makespan_s) put("    {:<34}{:>14}\n", name, change(seconds));
  }
  /// The same of what the chains waited for, and how often.
  void on_chain(std::string_view name, Wait wait) {
    TimeBreakdown const &a = c_.a.chain.breakdown, &b = c_.b.chain.breakdown;
    double const seconds = b.wait(wait) - a.wait(wait);
    if (std::abs(seconds) > 1e-4 * a_.makespan_s)
      put("    {:<34}{:>53}  {} and {} times\n", name, change(seconds), a.count(wait), b.count(wait));
  }

  void conclusions() {
    for (std::string const& line : verdict(c_)) put("  {}\n", line);
    if (!all_ || c_.parts->main(a_.makespan_s).empty()) return;
    put("  B - A: what follows from a cause is counted there; measured: without that; on chains: of the {} "
        "and {} tasks\n  that the ends waited for\n",
        c_.a.chain.tasks.size(), c_.b.chain.tasks.size());
  }

  void proof(DifferenceProof const& p) {
    put("\nEach key of B in the scenario of A, {} simulations\n  {:<36}{:>14}{:>14}{:>14}\n", p.simulations,
        "", "alone", "its share", "said above");
    double shares = 0;
    for (DifferenceProof::Change const& change : p.changes) {
      double const predicted = c_.predicted_s(change);
      put("  {:<36}{:>14}{:>14}{:>14}\n", change.option, this->change(change.alone_s),
          this->change(change.share_s), std::isnan(predicted) ? "-" : this->change(predicted));
      shares += change.share_s;
    }
    put("  {:<36}{:>14}\n  {:<36}{:>14}{:>14}\n", "together more than alone", change(p.interaction_s), "sum",
        change(c_.difference_s()), change(shares));
    if (!p.changes.empty())
      put("  largest share: {}\n",
          std::ranges::max_element(p.changes, {}, [](auto const& c) { return std::abs(c.share_s); })->option);
  }

  void own_means() {
    if (!c_.own_means) {
      if (!c_.no_own_means.empty()) put("  no simulation with the other run's means: {}\n", c_.no_own_means);
      return;
    }
    OwnMeans const& own = *c_.own_means;
    bool const of_b = own.simulated == 'b';
    double const other = (of_b ? a_ : b_).makespan_s, calibrated = (of_b ? b_ : a_).makespan_s;
    char const* const names = of_b ? "BA" : "AB";
    put("\n{} simulated again with the kernel means of {}\n", names[0], names[1]);
    put("  {:<36}{:>14}{:>11}  against {}\n", "with its own, calibrated means", seconds(calibrated),
        percent(other, calibrated), names[1]);
    put("  {:<36}{:>14}{:>11}  against {}: kernel times explain none of it\n",
        fmt::format("with the means of {}", names[1]), seconds(own.makespan_s),
        percent(other, own.makespan_s), names[1]);
    if (double const chaos = c_.chaos_s(); chaos > 0)
      put("  these means are equal, and were changed by a millionth: {} are chaos, other ties\n",
          seconds(chaos));
    if (own.kept > 0)
      put("  {} of {} means stayed, which {} does not have\n", own.kept, own.kept + own.replaced, names[1]);
  }

  /// Prints the average seconds of a worker.
  void workers() {
    title("what a worker did on average");
    for (auto const& [kernel, of] : side_by_side(c_.a.workers.kernels, c_.b.workers.kernels, key_of_map))
      row(kernel.text(), or_none(of[0]).second.seconds, or_none(of[1]).second.seconds);
    for (std::size_t w = 0; w < waits; ++w) {
      double const a = c_.a.workers.wait_s[w], b = c_.b.workers.wait_s[w];
      if (a != 0 || b != 0) row(wait_colors()[w].name, a, b);
    }
  }

  void kernels() {
    put("\n{:<34}{:>9}{:>9}{:>12}{:>12}{:>9}{:>8}{:>8}{:>9}\n", "kernels", "tasks A", "B", "mean A", "B",
        "B - A", "dev A", "B", "outliers");
    for (auto const& [kernel, of] : side_by_side(a_.kernels, b_.kernels, key_of_map)) {
      auto const [a, b] = std::array{or_none(of[0], {{}, {.mean = unknown}}).second,
                                     or_none(of[1], {{}, {.mean = unknown}}).second};
      put("{:<34}{:>9}{:>9}{:>12}{:>12}{:>9}{:>8}{:>8}{:>9}\n", kernel.text(), a.count, b.count,
          seconds(a.mean), seconds(b.mean), percent(a.mean, b.mean), deviation(a), deviation(b),
          fmt::format("{} {}", a.outliers, b.outliers));
    }
  }
  static std::string deviation(SampleSummary const& s) {
    return s.count == 0 || s.mean == 0 ? "-" : fmt::format("{:.1f} %", 100 * s.deviation / s.mean);
  }

  // ---- lists ----

  /// Returns the indices of the rows that differ most, in their order.
  template <class Difference>
  std::vector<std::size_t> rows(std::size_t count, Difference const& difference) {
    std::vector<std::size_t> places(count);
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (count <= max_rows) return places;
    std::ranges::stable_sort(places, std::greater(), difference);
    places.resize(max_rows);
    std::ranges::sort(places);
    return places;
  }
  void left_out(std::size_t count) {
    if (count > max_rows) put("({} of {} that differ most; --json has all)\n", max_rows, count);
  }

  void nodes() {
    std::size_t const count = std::min(a_.nodes.size(), b_.nodes.size());
    put("\n{:<22}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}{:>12}{:>10}{:>10}\n", "nodes", "ABE A", "B",
        "busy A", "B", "first A", "B", "last A", "B", "tasks A", "B");
    auto const busy = [](RunSummary::Node const& n, double makespan) {
      double const capacity = static_cast<double>(n.workers) * makespan;
      return capacity > 0 ? fmt::format("{:.1f} %", 100 * n.busy_s / capacity) : "-";
    };
    for (std::size_t const n :
         rows(count, [&](std::size_t i) { return std::abs(b_.nodes[i].idle_s - a_.nodes[i].idle_s); })) {
      RunSummary::Node const &a = a_.nodes[n], &b = b_.nodes[n];
      put("{:<22}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}{:>12}{:>10}{:>10}\n",
          fmt::format("{} {}", n, a.type.empty() ? b.type : a.type), seconds(a.abe_s), seconds(b.abe_s),
          busy(a, a_.makespan_s), busy(b, b_.makespan_s), seconds(a.first_task_s), seconds(b.first_task_s),
          seconds(a.last_task_s), seconds(b.last_task_s), a.tasks, b.tasks);
    }
    left_out(count);
    if (a_.nodes.size() != b_.nodes.size())
      put("A has {} nodes, B has {}\n", a_.nodes.size(), b_.nodes.size());
  }

  void links(std::string_view what, std::vector<RunSummary::Link> const& of_a,
             std::vector<RunSummary::Link> const& of_b) {
    auto const by_name = side_by_side(of_a, of_b, &RunSummary::Link::name);
    if (by_name.empty()) return;
    put("\n{:<16}{:>10}{:>10}{:>12}{:>12}{:>14}{:>14}{:>11}\n", what, "count A", "B", "bytes A", "B",
        "bandwidth A", "B", "B - A");
    std::vector<std::array<RunSummary::Link, 2>> list;
    for (auto const& [name, of] : by_name)
      list.push_back({or_none(of[0], {.name = name}), or_none(of[1], {.name = name})});
    auto const rate = [](RunSummary::Link const& l) {
      return fmt::format("{:.4g} GB/s", l.bandwidth_Bps() / 1e9);
    };
    for (std::size_t const i : rows(list.size(), [&](std::size_t i) {
           return std::abs(list[i][1].in_use_s - list[i][0].in_use_s);
         })) {
      auto const& [a, b] = list[i];
      put("{:<16}{:>10}{:>10}{:>12}{:>12}{:>14}{:>14}{:>11}\n", a.name, a.transfers, b.transfers,
          format_bytes(Bytes{a.bytes}), format_bytes(Bytes{b.bytes}), rate(a), rate(b),
          percent(a.bandwidth_Bps(), b.bandwidth_Bps()));
    }
    left_out(list.size());
  }

  void tolerances(std::vector<ToleranceCheck> const& checks) {
    if (checks.empty()) return;
    put("\n{} of {} checks within tolerance\n", std::ranges::count_if(checks, &ToleranceCheck::ok),
        checks.size());
    for (ToleranceCheck const& check : checks)
      if (!check.ok())
        put("  beyond: {} {}{}: {:.6g} against {:.6g}, {}, at most {:g} %\n", check.metric,
            check.what.empty() ? "" : "of ", check.what, check.b, check.a, format_change(check.relative, 2),
            100 * check.limit);
  }

  RunComparison const& c_;
  RunSummary const &a_, &b_;
  bool all_;
  std::string out_;
};

/// Returns the row of a LaTeX table: both values of a total, their difference, and that in percent.
std::string latex_row(ComparedTotal const& total) {
  auto const [name, a, b, seconds] = total;
  char const* const unit = seconds ? "\\,s" : "";
  bool const known = !std::isnan(a) && !std::isnan(b);
  auto const number = [](double value) { return std::isnan(value) ? "--" : fmt::format("{:.4g}", value); };
  return fmt::format("{} & {}{} & {}{} & {} & {} \\\\\n", latex_escaped(name), number(a), unit, number(b),
                     unit, known ? fmt::format("${:+.4g}${}", b - a, unit) : "--",
                     known && a != 0 ? fmt::format("${:+.1f}$\\,\\%", 100 * (b - a) / std::abs(a)) : "--");
}

}  // namespace

std::string run_comparison_text(RunComparison const& comparison, std::vector<ToleranceCheck> const& checks,
                                SummaryLength length) {
  return ComparisonText(comparison, length).text(checks);
}

std::string latex_escaped(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\')
      out += "\\textbackslash{}";
    else if (c == '~')
      out += "\\textasciitilde{}";
    else if (c == '^')
      out += "\\textasciicircum{}";
    else if (std::string_view("&%$#_{}").find(c) != text.npos)
      out += {'\\', c};
    else
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out;
}

std::string run_comparison_latex(RunComparison const& c, std::string_view name_a, std::string_view name_b) {
  std::string out = fmt::format(
      "% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{lrrrr}}\n\\toprule\n & {} & {} & difference & "
      "\\\\\n"
      "\\midrule\n",
      latex_escaped(name_a), latex_escaped(name_b));
  for (ComparedTotal const& total : compared_totals(c)) out += latex_row(total);
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
