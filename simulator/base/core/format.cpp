#include "simulator/base/core/format.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace factosim {

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
