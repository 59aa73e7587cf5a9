#include "simulator/report/text/run_comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "simulator/base/core/format.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_rows = 8;

class ComparisonText {
 public:
  explicit ComparisonText(RunComparison const& c) : c_(c), a_(c.a.summary), b_(c.b.summary) {}

  std::string text(std::vector<ToleranceCheck> const& checks) {
    put("A  {}\nB  {}\n\n", about(c_.a), about(c_.b));
    totals();
    if (c_.traced()) {
      causes();
      chains();
      own_means();
      workers();
      kernels();
    }
    nodes();
    if (c_.traced()) {
      iterations();
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
    return fmt::format("{:+.1f} %", 100 * (b - a) / std::abs(a));
  }
  static std::string seconds(double s) { return std::isnan(s) ? "-" : format_duration(Seconds{s}); }

  void row(std::string_view name, double a, double b) {
    double const difference = std::isnan(a) || std::isnan(b) ? 0 : b - a;
    put("{:<34}{:>14}{:>14}{:>14}{:>11}\n", name, seconds(a), seconds(b),
        format_difference(Seconds{difference}), percent(a, b));
  }
  void count_row(std::string_view name, double a, double b) {
    put("{:<34}{:>14.6g}{:>14.6g}{:>14}{:>11}\n", name, a, b, a == b ? "0" : fmt::format("{:+.6g}", b - a),
        percent(a, b));
  }

  void distinction(Distinction const& d) {
    std::string const width = fmt::format("+- {}, by which single runs of {} differ (95 %)",
                                          seconds(d.half_width_s), d.both ? "them" : "the repeated one");
    std::string const means = d.both ? fmt::format("; means of the further runs: B - A = {}",
                                                   format_difference(Seconds{d.means_difference_s}))
                                     : "";
    put("  {}{}\n",
        d.distinct ? fmt::format("B is {}: beyond {}", c_.difference_s() < 0 ? "faster" : "slower", width)
                   : "neither is faster: the difference is within " + width,
        means);
  }

  void totals() {
    put("{:<34}{:>14}{:>14}{:>14}\n",
        c_.start == RunStart::first_task ? "from the start of the first task" : "", "A", "B", "B - A");
    for (ComparedTotal const& total : compared_totals(c_)) {
      if (total.seconds)
        row(total.label, total.a, total.b);
      else
        count_row(total.label, total.a, total.b);
      if (total.label == "makespan" && c_.distinction) distinction(*c_.distinction);
    }
  }

  // ---- causes ----

  void cause(std::string_view name, double seconds) {
    put("  {:<36}{:>14}{:>11}\n", name, format_difference(Seconds{seconds}),
        fmt::format("{:+.1f} %", 100 * seconds / a_.makespan_s));
  }

  void causes() {
    DifferenceParts const& parts = *c_.parts;
    put("\nWhere the difference comes from\n");
    for (std::size_t i = 0; i < difference_causes; ++i) {
      auto const name = static_cast<DifferenceCause>(i);
      part(name_of(name), parts.parts[i]);
      if (parts.parts[i].seconds == 0) continue;
      if (name == DifferenceCause::kernels) part_kernels();
      if (name == DifferenceCause::between_nodes && parts.traces.map)
        detail("area bound of the most loaded node", parts.node_bound_s);
      if (name == DifferenceCause::order) detail("work of the most loaded worker", parts.worker_load_s);
    }
    cause("sum", parts.sum());
    verdict();
  }

  /// Prints also the seconds before those that follow from other causes were counted for these.
  void part(std::string_view name, DifferenceParts::Part const& part) {
    bool const moved = std::abs(part.measured_s - part.seconds) > 1e-4 * a_.makespan_s;
    put("  {:<36}{:>14}{:>11}{}\n", name, format_difference(Seconds{part.seconds}),
        fmt::format("{:+.1f} %", 100 * part.seconds / a_.makespan_s),
        moved ? "  measured " + format_difference(Seconds{part.measured_s}) : "");
  }

  void part_kernels() {
    std::vector<DifferenceParts::Kernel> kernels = c_.parts->kernels;
    std::ranges::stable_sort(kernels, std::greater(), [](auto const& k) { return std::abs(k.seconds); });
    kernels.resize(std::min(kernels.size(), max_rows));
    for (auto const& k : kernels) detail(k.kernel + " on " + k.resource, k.seconds);
  }

  /// Prints a share of the cause above, unless it is below a ten-thousandth of the makespan.
  void detail(std::string_view name, double seconds) {
    if (std::abs(seconds) > 1e-4 * a_.makespan_s)
      put("    {:<34}{:>14}\n", name, format_difference(Seconds{seconds}));
  }

  void verdict() {
    std::vector<DifferenceCause> const main = c_.parts->main(a_.makespan_s);
    if (c_.distinction && !c_.distinction->distinct && !main.empty())
      put("  ties and overheads move single runs as far: the causes may be these alone\n");
    put("  main cause: {}", main.empty() ? "none, the makespans are the same" : name_of(main.front()));
    for (std::size_t i = 1; i < main.size(); ++i)
      put("{} {}", i == 1 ? "; nearly as much:" : ",", name_of(main[i]));
    put("\n");
    if (c_.parts->order_may_delay_messages && !main.empty() && main.front() == DifferenceCause::messages)
      put("  the network is as fast in both runs: another order of tasks or of sends may be behind it\n");
    if (c_.parts->known && !c_.parts->known->options.empty()) {
      put("  options that differ:");
      for (std::string const& option : c_.parts->known->options) put(" {}", option);
      put("\n  what they cannot change directly is counted for the causes that they can\n");
    }
  }

  void chains() {
    ChainDifference const& d = c_.chains;
    put("\nThe chains of tasks that the ends waited for ({} and {} tasks)\n", c_.a.chain.tasks.size(),
        c_.b.chain.tasks.size());
    cause("means of kernels", d.means_s);
    for (auto const* const k : largest(d.kernels)) detail(k->kernel + " on " + k->resource, k->means_s);
    cause("deviations of these tasks from them", d.deviations_s);
    cause("waiting for data", d.data_s);
    data("messages in flight", Wait::message);
    data("messages that had not left", Wait::send);
    data("copies into GPUs and back", Wait::copy);
    if (auto const& m = c_.parts->messages)
      put("    mean of all messages, from {}: {} and {}\n",
          m->from_task_end ? "the end of their task" : "their recorded start", seconds(m->a_s),
          seconds(m->b_s));
    if (!a_.copies.empty() && !b_.copies.empty())
      put("    mean of all copies: {} and {}\n", seconds(RunSummary::mean_transfer_s(a_.copies)),
          seconds(RunSummary::mean_transfer_s(b_.copies)));
    cause("ready and not started", d.scheduling_s);
    cause("other tasks on the chain", d.path_s);
    cause("submission", d.submission_s);
    if (d.unexplained_s != 0) cause("unexplained", d.unexplained_s);
    cause("sum", d.sum());
  }

  static std::vector<ChainDifference::Kernel const*> largest(
      std::vector<ChainDifference::Kernel> const& kernels) {
    std::vector<ChainDifference::Kernel const*> out;
    out.reserve(kernels.size());
    for (auto const& k : kernels) out.push_back(&k);
    std::stable_sort(out.begin(), out.end(), [](auto const* x, auto const* y) {
      return std::abs(x->means_s) > std::abs(y->means_s);
    });
    out.resize(std::min(out.size(), max_rows));
    return out;
  }

  /// Prints how often the chains waited for transfers.
  void data(std::string_view name, Wait wait) {
    TimeBreakdown const &a = c_.a.chain.breakdown, &b = c_.b.chain.breakdown;
    if (a.count(wait) + b.count(wait) == 0) return;
    put("    {:<34}{:>14}             {} and {} times\n", name,
        format_difference(Seconds{b.wait(wait) - a.wait(wait)}), a.count(wait), b.count(wait));
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
    put("  {:<36}{:>14}{:>11}  against {}: not the kernels' doing\n",
        fmt::format("with the means of {}", names[1]), seconds(own.makespan_s),
        percent(other, own.makespan_s), names[1]);
    if (own.kept > 0)
      put("  {} of {} means stayed, which {} does not have\n", own.kept, own.kept + own.replaced, names[1]);
  }

  /// Prints the average seconds of a worker.
  void workers() {
    constexpr std::array<std::string_view, waits> descriptions{
        "message in flight",     "message not sent yet", "copy in flight",        "nothing submitted",
        "waits for other tasks", "a task was ready",     "had run its last task", "unexplained"};
    title("what a worker did on average");
    std::map<std::pair<std::string, std::string>, std::pair<double, double>> kernels;
    for (auto const& [key, kernel] : c_.a.workers.kernels) kernels[key].first = kernel.seconds;
    for (auto const& [key, kernel] : c_.b.workers.kernels) kernels[key].second = kernel.seconds;
    for (auto const& [key, both] : kernels) row(key.first + " on " + key.second, both.first, both.second);
    for (std::size_t w = 0; w < waits; ++w) {
      double const a = c_.a.workers.wait_s[w], b = c_.b.workers.wait_s[w];
      if (a != 0 || b != 0) row(fmt::format("idle: {}", descriptions[w]), a, b);
    }
  }

  void kernels() {
    put("\n{:<34}{:>9}{:>9}{:>12}{:>12}{:>9}{:>8}{:>8}{:>9}\n", "kernels", "tasks A", "B", "mean A", "B",
        "B - A", "dev A", "B", "outliers");
    std::map<std::pair<std::string, std::string>, int> keys;
    for (RunSummary const* const s : {&a_, &b_})
      for (auto const& k : s->kernels) keys[{k.kernel, k.resource}] = 0;
    for (auto const& [key, unused] : keys) {
      auto const* const a = a_.find(key.first, key.second);
      auto const* const b = b_.find(key.first, key.second);
      SampleSummary const none;
      SampleSummary const &in_a = a != nullptr ? a->seconds : none, &in_b = b != nullptr ? b->seconds : none;
      put("{:<34}{:>9}{:>9}{:>12}{:>12}{:>9}{:>8}{:>8}{:>9}\n", key.first + " on " + key.second, in_a.count,
          in_b.count, a != nullptr ? seconds(in_a.mean) : "-", b != nullptr ? seconds(in_b.mean) : "-",
          a != nullptr && b != nullptr ? percent(in_a.mean, in_b.mean) : "", deviation(in_a), deviation(in_b),
          fmt::format("{} {}", in_a.outliers, in_b.outliers));
    }
  }
  static std::string deviation(SampleSummary const& s) {
    return s.count == 0 || s.mean == 0 ? "-" : fmt::format("{:.1f} %", 100 * s.deviation / s.mean);
  }

  // ---- lists ----

  /// Returns the indices of the rows that differ most, in their order.
  template <class Difference>
  std::vector<std::size_t> rows(std::size_t count, Difference const& difference) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < count; ++i) places.push_back(i);
    if (count <= max_rows) return places;
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t x, std::size_t y) { return difference(x) > difference(y); });
    places.resize(max_rows);
    std::sort(places.begin(), places.end());
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

  void iterations() {
    std::map<std::int32_t, std::pair<RunSummary::Iteration const*, RunSummary::Iteration const*>> by_k;
    for (auto const& i : a_.iterations) by_k[i.k].first = &i;
    for (auto const& i : b_.iterations) by_k[i.k].second = &i;
    std::vector<std::pair<RunSummary::Iteration const*, RunSummary::Iteration const*>> both;
    for (auto const& [k, pair] : by_k)
      if (pair.first != nullptr && pair.second != nullptr) both.push_back(pair);
    if (both.size() < 2) return;
    put("\n{:<16}{:>14}{:>14}{:>14}{:>14}{:>14}{:>14}\n", "iterations", "first start A", "B", "B - A",
        "last end A", "B", "B - A");
    // Evenly spread, the first and the last one included.
    std::size_t const shown = std::min(both.size(), max_rows);
    for (std::size_t i = 0; i < shown; ++i) {
      auto const& [a, b] = both[i * (both.size() - 1) / (shown - 1)];
      put("{:<16}{:>14}{:>14}{:>14}{:>14}{:>14}{:>14}\n", a->k, seconds(a->first_start_s),
          seconds(b->first_start_s), format_difference(Seconds{b->first_start_s - a->first_start_s}),
          seconds(a->last_end_s), seconds(b->last_end_s),
          format_difference(Seconds{b->last_end_s - a->last_end_s}));
    }
    if (both.size() > shown) put("({} of {}; --json has all)\n", shown, both.size());
  }

  void links(std::string_view what, std::vector<RunSummary::Link> const& of_a,
             std::vector<RunSummary::Link> const& of_b) {
    std::map<std::string, std::pair<RunSummary::Link, RunSummary::Link>> by_name;
    for (auto const& l : of_a) by_name[l.name].first = l;
    for (auto const& l : of_b) by_name[l.name].second = l;
    if (by_name.empty()) return;
    put("\n{:<16}{:>10}{:>10}{:>12}{:>12}{:>14}{:>14}{:>11}\n", what, "count A", "B", "bytes A", "B",
        "bandwidth A", "B", "B - A");
    std::vector<std::pair<std::string, std::pair<RunSummary::Link, RunSummary::Link>>> const list(
        by_name.begin(), by_name.end());
    for (std::size_t const i : rows(list.size(), [&](std::size_t i) {
           return std::abs(list[i].second.second.in_use_s - list[i].second.first.in_use_s);
         })) {
      auto const& [a, b] = list[i].second;
      auto const rate = [](RunSummary::Link const& l) {
        return fmt::format("{:.4g} GB/s", l.bandwidth_Bps() / 1e9);
      };
      put("{:<16}{:>10}{:>10}{:>12}{:>12}{:>14}{:>14}{:>11}\n", list[i].first, a.transfers, b.transfers,
          format_bytes(Bytes{a.bytes}), format_bytes(Bytes{b.bytes}), rate(a), rate(b),
          percent(a.bandwidth_Bps(), b.bandwidth_Bps()));
    }
    left_out(list.size());
  }

  void tolerances(std::vector<ToleranceCheck> const& checks) {
    if (checks.empty()) return;
    auto const broken = static_cast<std::size_t>(
        std::count_if(checks.begin(), checks.end(), [](ToleranceCheck const& c) { return !c.ok(); }));
    put("\n{} of {} checks within tolerance\n", checks.size() - broken, checks.size());
    for (ToleranceCheck const& check : checks)
      if (!check.ok())
        put("  beyond: {} {}{}: {:.6g} against {:.6g}, {:+.2f} %, at most {:g} %\n", check.metric,
            check.what.empty() ? "" : "of ", check.what, check.b, check.a, 100 * check.relative,
            100 * check.limit);
  }

  RunComparison const& c_;
  RunSummary const &a_, &b_;
  std::string out_;
};

}  // namespace

std::string run_comparison_text(RunComparison const& comparison, std::vector<ToleranceCheck> const& checks) {
  return ComparisonText(comparison).text(checks);
}

}  // namespace factosim
