#include "simulator/report/analysis/report_colors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace factosim {

namespace {

/// Kernels whose names contain one of `words`, and their shades.
struct Family {
  std::vector<std::string_view> words;
  std::vector<Color> shades;
};

std::vector<Family> const& kernel_families() {
  static std::vector<Family> const all{
      {{"getrf", "potrf", "geqrt"}, {{0xd5, 0x5e, 0x00}, {0x8a, 0x3b, 0x00}}},
      {{"trsm", "tpqrt", "tsqrt", "ttqrt"}, {{0x00, 0x72, 0xb2}, {0x56, 0xb4, 0xe9}, {0x0a, 0x3f, 0x66}}},
      {{"gemm", "tpmqrt", "tsmqr", "ttmqr"}, {{0x00, 0x9e, 0x73}, {0x7c, 0xcf, 0xb3}, {0x04, 0x5c, 0x44}}},
      {{"syrk", "herk", "ormqr", "unmqr"}, {{0xcc, 0x79, 0xa7}, {0x8c, 0x3f, 0x6b}}},
      {{"dcmg", "generat"}, {{0xf0, 0xe4, 0x42}, {0xb8, 0xac, 0x10}}},
  };
  return all;
}

std::vector<Color> const& others() {
  static std::vector<Color> const shades{{0xe6, 0x9f, 0x00}, {0x5d, 0x3a, 0x9b}, {0x9a, 0x6a, 0x00},
                                         {0x00, 0xb4, 0xc8}, {0xb3, 0x00, 0x4b}, {0x6e, 0x8b, 0x00}};
  return shades;
}

std::size_t family_of(std::string_view name) {
  auto const found = std::ranges::find_if(kernel_families(), [&](Family const& f) {
    return std::ranges::any_of(f.words, [&](std::string_view word) { return name.find(word) != name.npos; });
  });
  return static_cast<std::size_t>(found - kernel_families().begin());
}

}  // namespace

std::string hex_of(Color c) { return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

std::vector<Color> kernel_colors(std::vector<std::string> const& names) {
  // Sorted by name, so that colours do not depend on the order of the kernels in a trace.
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::map<std::string, Color> colors;
  std::map<std::size_t, std::size_t> used;  // shades, by family
  for (std::string const& name : sorted) {
    std::size_t const family = family_of(name);
    auto const& shades = family < kernel_families().size() ? kernel_families()[family].shades : others();
    colors[name] = shades[used[family]++ % shades.size()];
  }
  std::vector<Color> out;
  out.reserve(names.size());
  for (std::string const& name : names) out.push_back(colors[name]);
  return out;
}

std::vector<NamedColor> const& wait_colors() {
  static std::vector<NamedColor> const by_wait{
      {"fetching input: message in flight", {0x8f, 0xa3, 0xc4}},
      {"fetching input: message not sent yet", {0xc3, 0xcf, 0xe6}},
      {"fetching input: copy in flight", {0xd8, 0xcb, 0x9c}},
      {"idle: nothing submitted", {0x8a, 0x84, 0x6b}},
      {"idle: waits for other tasks", {0xd9, 0xb3, 0xa3}},
      {"scheduling and overhead: a task was ready", {0x9c, 0x86, 0xa8}},
      {"idle: had run its last task", {0xe2, 0xe2, 0xe2}},
      {"idle: not explained by the trace", {0x6c, 0x70, 0x74}},
  };
  return by_wait;
}

Color state_color(std::string_view name, std::size_t place) {
  constexpr std::array<std::pair<std::string_view, Color>, 6> known{{{"Idle", {0xd9, 0xb3, 0xa3}},
                                                                     {"Sleep", {0xe2, 0xe2, 0xe2}},
                                                                     {"Fetch", {0xd8, 0xcb, 0x9c}},
                                                                     {"Sched", {0x9c, 0x86, 0xa8}},
                                                                     {"Overhead", {0x8a, 0x84, 0x6b}},
                                                                     {"Push", {0x8f, 0xa3, 0xc4}}}};
  static std::vector<Color> const unknown{
      {0x6c, 0x70, 0x74}, {0xc3, 0xcf, 0xe6}, {0xa9, 0xb5, 0x9c}, {0xb5, 0xb5, 0xb5}};
  for (auto const& [word, color] : known)
    if (name.find(word) != name.npos) return color;
  return unknown[place % unknown.size()];
}

Color heat_map_color(double share) {
  auto const mixed = [&](int a, int b) {
    return static_cast<std::uint8_t>(std::lround(a + share * (b - a)));
  };
  return {mixed(0xff, 0x0b), mixed(0xf3, 0x3c), mixed(0xc4, 0x6e)};
}

std::vector<Color> const& curve_colors() {
  static std::vector<Color> const colors{{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73},
                                         {0xcc, 0x79, 0xa7}, {0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9},
                                         {0x55, 0x55, 0x55}};
  return colors;
}

}  // namespace factosim
