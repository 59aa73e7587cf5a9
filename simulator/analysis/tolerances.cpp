#include "simulator/analysis/tolerances.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/core/named_values.hpp"

namespace factosim {

namespace {

using Add = void (*)(RunComparison const&, std::vector<ToleranceCheck>&);

double bytes_of(std::vector<RunSummary::Link> const& links) {
  double sum = 0;
  for (RunSummary::Link const& l : links) sum += static_cast<double>(l.bytes);
  return sum;
}

double transfers_of(std::vector<RunSummary::Link> const& links) {
  double sum = 0;
  for (RunSummary::Link const& l : links) sum += static_cast<double>(l.transfers);
  return sum;
}

template <class Value>
void one(RunComparison const& c, std::vector<ToleranceCheck>& out, Value const& value) {
  out.push_back({.metric = {}, .what = "", .a = value(c.a.summary), .b = value(c.b.summary)});
}

template <class Value>
void each_node(RunComparison const& c, std::vector<ToleranceCheck>& out, Value const& value) {
  auto const &a = c.a.summary.nodes, &b = c.b.summary.nodes;
  for (std::size_t n = 0; n < std::max(a.size(), b.size()); ++n)
    out.push_back({.metric = {},
                   .what = fmt::format("node {}", n),
                   .a = n < a.size() ? value(a[n]) : 0,
                   .b = n < b.size() ? value(b[n]) : 0});
}

struct Metric {
  std::string_view name;
  Add add;
};

constexpr std::array metrics{
    Metric{"makespan", [](auto const& c, auto& out) { one(c, out, [](auto& s) { return s.makespan_s; }); }},
    Metric{"tasks", [](auto const& c,
                       auto& out) { one(c, out, [](auto& s) { return static_cast<double>(s.tasks); }); }},
    Metric{"abe", [](auto const& c, auto& out) { one(c, out, [](auto& s) { return s.abe_s; }); }},
    Metric{"critical_path",
           [](auto const& c, auto& out) { one(c, out, [](auto& s) { return s.critical_path_s; }); }},
    Metric{"busy", [](auto const& c, auto& out) { each_node(c, out, [](auto& n) { return n.busy_s; }); }},
    Metric{"idle", [](auto const& c, auto& out) { each_node(c, out, [](auto& n) { return n.idle_s; }); }},
    Metric{"kernel_mean",
           [](RunComparison const& c, std::vector<ToleranceCheck>& out) {
             for (RunSummary::KernelTimes const& k : c.a.summary.kernels)
               if (auto const* const other = c.b.summary.find(k.kernel, k.resource))
                 out.push_back({.metric = {},
                                .what = k.kernel + " on " + k.resource,
                                .a = k.seconds.mean,
                                .b = other->seconds.mean});
           }},
    Metric{"messages",
           [](auto const& c, auto& out) { one(c, out, [](auto& s) { return transfers_of(s.messages); }); }},
    Metric{"message_bytes",
           [](auto const& c, auto& out) { one(c, out, [](auto& s) { return bytes_of(s.messages); }); }},
    Metric{"copy_bytes",
           [](auto const& c, auto& out) { one(c, out, [](auto& s) { return bytes_of(s.copies); }); }},
};

Metric const* find(std::string_view name) {
  auto const found =
      std::find_if(metrics.begin(), metrics.end(), [&](Metric const& m) { return m.name == name; });
  return found == metrics.end() ? nullptr : &*found;
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
  if (find(t.metric) == nullptr) fail(item, "names nothing that is compared");
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
  for (Tolerance const& t : tolerances) {
    std::size_t const first = out.size();
    find(t.metric)->add(comparison, out);
    for (std::size_t i = first; i < out.size(); ++i) {
      ToleranceCheck& check = out[i];
      check.metric = t.metric;
      check.limit = t.relative;
      if (check.a != 0)
        check.relative = (check.b - check.a) / std::abs(check.a);
      else if (check.b != 0)
        check.relative = std::numeric_limits<double>::infinity();
    }
  }
  return out;
}

}  // namespace factosim
