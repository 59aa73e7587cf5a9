#include "simulator/report/analysis/tolerances.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

using Link = RunSummary::Link;

/// A quantity of whole runs, of each of their nodes, or, without both, of each kernel that both runs have.
struct Metric {
  std::string_view name;
  double (*of_run)(RunSummary const&) = nullptr;
  double RunSummary::Node::*of_node = nullptr;
};

constexpr std::array metrics{
    Metric{"makespan", [](RunSummary const& s) { return s.makespan_s; }},
    Metric{"tasks", [](RunSummary const& s) { return static_cast<double>(s.tasks); }},
    Metric{"abe", [](RunSummary const& s) { return s.abe_s; }},
    Metric{"critical_path", [](RunSummary const& s) { return s.critical_path_s; }},
    Metric{"busy", nullptr, &RunSummary::Node::busy_s},
    Metric{"idle", nullptr, &RunSummary::Node::idle_s},
    Metric{"kernel_mean"},
    Metric{"messages", [](RunSummary const& s) { return RunSummary::total(s.messages, &Link::transfers); }},
    Metric{"message_bytes", [](RunSummary const& s) { return RunSummary::total(s.messages, &Link::bytes); }},
    Metric{"copy_bytes", [](RunSummary const& s) { return RunSummary::total(s.copies, &Link::bytes); }},
};

/// Calls `add(what, value of a, value of b)` for each value of the metric.
template <class Add>
void for_each_value(Metric const& metric, RunSummary const& a, RunSummary const& b, Add const& add) {
  if (metric.of_run != nullptr) return add("", metric.of_run(a), metric.of_run(b));
  if (metric.of_node != nullptr) {
    auto const value = [&](RunSummary const& s, std::size_t n) {
      return n < s.nodes.size() ? s.nodes[n].*metric.of_node : 0;
    };
    for (std::size_t n = 0; n < std::max(a.nodes.size(), b.nodes.size()); ++n)
      add(fmt::format("node {}", n), value(a, n), value(b, n));
    return;
  }
  for (auto const& [kernel, seconds] : a.kernels)
    if (auto const other = b.kernels.find(kernel); other != b.kernels.end())
      add(kernel.text(), seconds.mean, other->second.mean);
}

[[noreturn]] void fail(std::string_view item, std::string_view problem) {
  throw InputError("--tolerance#", fmt::format("\"{}\" {}. Give NAME=SHARE%, NAME one of {}", item, problem,
                                               fmt::join(tolerance_metrics(), ", ")));
}

Tolerance parse_one(std::string_view item) {
  std::size_t const equals = item.find('=');
  Tolerance t{.metric = std::string(equals == std::string_view::npos ? "makespan" : item.substr(0, equals))};
  std::string_view number = equals == std::string_view::npos ? item : item.substr(equals + 1);
  bool const percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), t.relative);
  if (error != std::errc{} || end != number.data() + number.size() || !(t.relative >= 0) ||
      std::isinf(t.relative))
    fail(item, "has no number >= 0");
  if (percent) t.relative /= 100;
  if (std::ranges::find(metrics, t.metric, &Metric::name) == metrics.end())
    fail(item, "names nothing that is compared");
  return t;
}

}  // namespace

std::vector<std::string> tolerance_metrics() { return names_of(metrics); }

std::vector<Tolerance> parse_tolerances(std::string_view text) {
  std::vector<Tolerance> out;
  while (!text.empty()) {
    std::size_t const comma = std::min(text.find(','), text.size());
    out.push_back(parse_one(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

bool ToleranceCheck::ok() const {
  // Unknown in both runs, or equal up to rounding.
  if (std::isnan(a) && std::isnan(b)) return true;
  return std::abs(relative) <= limit * (1 + 1e-9) + 1e-12;
}

std::vector<ToleranceCheck> check_tolerances(RunComparison const& comparison,
                                             std::vector<Tolerance> const& tolerances) {
  std::vector<ToleranceCheck> out;
  for (Tolerance const& t : tolerances)
    for_each_value(*std::ranges::find(metrics, t.metric, &Metric::name), comparison.a.summary,
                   comparison.b.summary, [&](std::string const& what, double a, double b) {
                     double relative = a != 0 ? (b - a) / std::abs(a) : 0;
                     if (a == 0 && b != 0) relative = std::numeric_limits<double>::infinity();
                     out.push_back({t.metric, what, a, b, relative, t.relative});
                   });
  return out;
}

}  // namespace factosim
