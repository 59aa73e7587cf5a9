#include "simulator/base/core/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

/// 10^exponent * factor of the unit of numbers.
struct UnitName {
  std::string name;
  int exponent = 0;
  double factor = 1;
};

struct Dimension {
  std::string_view unit;  // of numbers
  std::string_view called, example;
  std::vector<UnitName> names;
};

std::vector<Dimension> all_dimensions() {
  std::vector<Dimension> out{
      {"s",
       "a time",
       "\"20 us\"",
       {{"s"}, {"ms", -3}, {"us", -6}, {"µs", -6}, {"ns", -9}, {"ps", -12}, {"min", 0, 60}, {"h", 0, 3600}}},
      {"B", "a size of data", "\"64 GB\" or \"64 GiB\"", {}},
      {"B/s", "a rate of data", "\"10 GB/s\" or \"80 Gb/s\"", {}},
      {"W", "a power", "\"250 W\"", {{"W"}, {"mW", -3}, {"kW", 3}, {"MW", 6}}}};
  auto const add = [&](std::string const& prefix, int exponent, double factor) {
    out[1].names.push_back({prefix + "B", exponent, factor});
    out[2].names.push_back({prefix + "B/s", exponent, factor});
    out[2].names.push_back({prefix + "b/s", exponent, factor / 8});
    out[2].names.push_back({prefix + "bit/s", exponent, factor / 8});
  };
  add("", 0, 1);
  for (int i = 1; i <= 5; ++i) add({"kMGTP"[i - 1]}, 3 * i, 1);
  for (int i = 1; i <= 5; ++i) add({"KMGTP"[i - 1], 'i'}, 0, std::ldexp(1, 10 * i));
  return out;
}

std::vector<Dimension> const& dimensions() {
  static std::vector<Dimension> const all = all_dimensions();
  return all;
}

Dimension const& dimension_of(std::string_view unit) {
  return *std::ranges::find(dimensions(), unit, &Dimension::unit);
}

/// Returns the number with its exponent of ten raised: rounded once, as the number of the file would be.
std::optional<double> scaled(std::string_view number, int exponent) {
  if (parsed<double>(number) == 0.0) return 0.0;  // whose exponent may be any
  auto const e = number.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view const own = number.substr(e + 1 + (number.substr(e + 1).starts_with('+') ? 1 : 0));
    exponent += parsed<int>(own).value_or(0);
  }
  return parsed<double>(fmt::format("{}e{}", number.substr(0, e), exponent));
}

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

bool may_be_text(std::string_view unit) {
  return std::ranges::any_of(dimensions(), [&](Dimension const& d) { return d.unit == unit; });
}

std::string quantity_remedy(std::string_view unit) {
  return fmt::format("Write {}, or the number in {}", dimension_of(unit).example, unit);
}

StatedQuantity stated_quantity(std::string_view text, std::string_view unit) {
  Dimension const& wanted = dimension_of(unit);
  text = without_spaces(text);
  std::string_view const number = text.substr(0, text.find_first_not_of("+-.0123456789eE"));
  std::string_view const name = without_spaces(text.substr(number.size()));
  auto const mistaken = [&](std::string_view problem, std::string_view guess = {}) {
    return StatedQuantity{
        0, fmt::format("{} (here {} is needed). {}{}", problem, wanted.called, guess, quantity_remedy(unit))};
  };
  if (!parsed<double>(number)) return mistaken("is not a number");
  if (name.empty()) return mistaken("has no unit");
  for (Dimension const& dimension : dimensions()) {
    auto const found = std::ranges::find(dimension.names, name, &UnitName::name);
    if (found == dimension.names.end()) continue;
    if (&dimension != &wanted) return mistaken(fmt::format("is {}", dimension.called));
    auto const value = scaled(number, found->exponent);
    return value ? StatedQuantity{*value * found->factor} : mistaken("is too large or too small");
  }
  return mistaken(fmt::format("has the unknown unit \"{}\"", name),
                  did_you_mean(name, names_of(wanted.names)));
}

std::string quantity_pattern(std::string_view unit) {
  return fmt::format("^ *[-+.0-9eE]+ *({}) *$", fmt::join(names_of(dimension_of(unit).names), "|"));
}

std::string format_duration(Seconds s) {
  double const size = std::abs(s.value);
  if (size >= 1) return fmt::format("{:.4g} s", s.value);
  if (size >= 1e-3) return fmt::format("{:.4g} ms", s.value * 1e3);
  if (size >= 1e-6 || size == 0) return fmt::format("{:.4g} us", s.value * 1e6);
  return fmt::format("{:.4g} ns", s.value * 1e9);
}

std::string format_gflops(double gflops) {
  if (gflops >= 1e6) return fmt::format("{:.4g} PFlop/s", gflops / 1e6);
  if (gflops >= 1e3) return fmt::format("{:.4g} TFlop/s", gflops / 1e3);
  return fmt::format("{:.1f} GFlop/s", gflops);
}

std::string format_difference(Seconds s) {
  if (std::abs(s.value) < 1e-9) return "0";  // traces are exact to the nanosecond
  return (s.value > 0 ? "+" : "") + format_duration(s);
}

std::string format_change(double relative, int digits) {
  std::string out = fmt::format("{:+.{}f} %", 100 * relative, digits);
  if (out.find_first_of("123456789n") == std::string::npos) out.front() = '+';  // n: inf, nan
  return out;
}

std::string format_bytes(Bytes b) {
  using Unit = std::pair<double, char const*>;
  auto const value = static_cast<double>(b.value);
  for (auto const& [unit, name] : {Unit{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}})
    if (value >= unit) return fmt::format("{:.3g} {}", value / unit, name);
  return fmt::format("{} B", b.value);
}

std::string grouped(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t place = out.size(); place > 3;) out.insert(place -= 3, " ");
  return out;
}

std::vector<std::string_view> broken_lines(std::string_view text, std::size_t width) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::size_t space = text.size() <= width ? text.npos : text.rfind(' ', width);
    if (space == text.npos) space = text.find(' ', width);
    out.push_back(text.substr(0, space));
    text.remove_prefix(space == text.npos ? text.size() : space + 1);
  }
  return out;
}

}  // namespace factosim
