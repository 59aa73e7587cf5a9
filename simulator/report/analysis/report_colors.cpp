#include "simulator/report/analysis/report_colors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

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
  for (std::string const& name : names) out.push_back(colors[name]);
  return out;
}

std::vector<NamedColor> const& wait_colors() {
  static std::vector<NamedColor> const by_wait{
      {"fetching input: message in flight", {0x8f, 0xa3, 0xc4}},
      {"fetching input: message not sent", {0xc3, 0xcf, 0xe6}},
      {"fetching input: copy in flight", {0xd8, 0xcb, 0x9c}},
      {"idle: nothing submitted", {0x8a, 0x84, 0x6b}},
      {"idle: waits for other tasks", {0xd9, 0xb3, 0xa3}},
      {"overhead: a task was ready", {0x9c, 0x86, 0xa8}},
      {"idle: no work left", {0xe2, 0xe2, 0xe2}},
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

namespace {

constexpr std::uint32_t max_shades = 32;  // of one type; with more nodes, several share a shade

/// A light, a medium and a dark shade of one hue.
using Ramp = std::array<Color, 3>;

/// Shades alternate between two ramps with similar hues, so that shades of equal lightness still differ.
/// Order of the families: all colour-blind readers can distinguish blue and orange, then grey.
constexpr std::array<std::array<Ramp, 2>, 5> families = {{
    {{{{{0xc6, 0xdb, 0xef}, {0x42, 0x92, 0xc6}, {0x08, 0x30, 0x6b}}},
      {{{0xb5, 0xe3, 0xe8}, {0x1f, 0x9a, 0xa8}, {0x06, 0x45, 0x52}}}}},  // blue
    {{{{{0xfd, 0xd0, 0xa2}, {0xf1, 0x69, 0x13}, {0x7f, 0x27, 0x04}}},
      {{{0xfe, 0xe5, 0x8f}, {0xe3, 0xa0, 0x12}, {0x70, 0x4c, 0x03}}}}},  // orange
    {{{{{0xdd, 0xdd, 0xdd}, {0x8c, 0x8c, 0x8c}, {0x2b, 0x2b, 0x2b}}},
      {{{0xe8, 0xd6, 0xe0}, {0xa2, 0x7c, 0x92}, {0x4a, 0x22, 0x3a}}}}},  // grey
    {{{{{0xc7, 0xe9, 0xc0}, {0x41, 0xab, 0x5d}, {0x00, 0x44, 0x1b}}},
      {{{0xdf, 0xef, 0x9d}, {0x8d, 0xb6, 0x2a}, {0x3c, 0x52, 0x06}}}}},  // green
    {{{{{0xdc, 0xd3, 0xee}, {0x8f, 0x6f, 0xc0}, {0x3f, 0x0a, 0x7d}}},
      {{{0xf2, 0xc9, 0xe4}, {0xcb, 0x5f, 0xa8}, {0x6d, 0x05, 0x56}}}}},  // purple
}};

std::uint8_t interpolated(std::uint8_t a, std::uint8_t b, std::uint32_t part, std::uint32_t whole) {
  return static_cast<std::uint8_t>((a * (whole - part) + b * part) / whole);
}

/// Returns shade `shade` of `count`, from light to dark; few shades stay away from both ends.
Color shade_color(std::uint32_t type, std::uint32_t shade, std::uint32_t count) {
  Ramp const& ramp = families[type % families.size()][shade % 2];
  std::uint32_t const place = 2 * shade + 1;  // in 0 .. 2 count; the medium shade is at count
  std::size_t const from = place < count ? 0 : 1;
  std::uint32_t const part = place < count ? place : place - count;
  auto const mixed = [&](std::uint8_t Color::*channel) {
    return interpolated(ramp[from].*channel, ramp[from + 1].*channel, part, count);
  };
  return {mixed(&Color::red), mixed(&Color::green), mixed(&Color::blue)};
}

/// Returns the similarity of two shades of `count`; 0 if more contrast would not help.
double likeness(std::uint32_t a, std::uint32_t b, std::uint32_t count) {
  constexpr double enough = 0.5, of_hue = 0.15;  // of the way from light to dark
  double const lightness = std::abs(static_cast<double>(a) - static_cast<double>(b)) / count;
  double const missing = enough - lightness - (a % 2 == b % 2 ? 0 : of_hue);
  return missing > 0 ? missing * missing : 0;
}

struct Neighbour {
  std::uint32_t node = 0;
  std::uint32_t borders = 0;  // sides of tiles along which the two meet
};

/// Returns the neighbours of each node: nodes with adjacent tiles. [nodes]
std::vector<std::vector<Neighbour>> neighbours(TileMap const& map, std::size_t nodes) {
  std::map<std::pair<NodeId, NodeId>, std::uint32_t> borders;
  auto const meet = [&](NodeId a, NodeId b) {
    if (a.valid() && b.valid() && a != b) ++borders[std::minmax(a, b)];
  };
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < map.nt; ++n) {
      if (m > 0) meet(map.at(m - 1, n), map.at(m, n));
      if (n > 0) meet(map.at(m, n - 1), map.at(m, n));
    }
  std::vector<std::vector<Neighbour>> out(nodes);
  for (auto const& [pair, count] : borders) {
    out[pair.first.index()].push_back({pair.second.value(), count});
    out[pair.second.index()].push_back({pair.first.value(), count});
  }
  return out;
}

/// Gives the nodes of one type shades that differ between neighbours; all shades are used equally often.
class ShadeChoice {
 public:
  ShadeChoice(NodeColors& colors, TileMap const& map)
      : colors_(colors), neighbours_(neighbours(map, colors.type.size())) {}

  void choose(std::uint32_t type) {
    nodes_.clear();
    for (std::uint32_t node = 0; node < colors_.type.size(); ++node)
      if (colors_.type[node] == type) nodes_.push_back(node);
    used_.assign(std::min<std::size_t>(nodes_.size(), max_shades), 0);
    chosen_.assign(colors_.type.size(), false);
    for (std::uint32_t const node : nodes_) choose_for(node);
    constexpr int max_passes = 10;
    constexpr std::size_t max_nodes = 128;  // more cannot be distinguished and take long
    for (int pass = 0; pass < max_passes && nodes_.size() <= max_nodes && improve(); ++pass) continue;
    for (std::uint32_t const node : nodes_)
      colors_.color[node] = shade_color(type, colors_.shade[node], count());
  }

 private:
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(used_.size()); }

  /// Chooses, among the shades used least, the one least similar to those of the neighbours.
  void choose_for(std::uint32_t node) {
    auto const minimum = *std::ranges::min_element(used_);
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t shade = 0; shade < count(); ++shade) {
      if (used_[shade] != minimum || cost(node, shade) >= best) continue;
      best = cost(node, shade);
      colors_.shade[node] = shade;
    }
    ++used_[colors_.shade[node]];
    chosen_[node] = true;
  }

  [[nodiscard]] double cost(std::uint32_t node, std::uint32_t shade) const {
    double sum = 0;
    for (auto const& [other, borders] : neighbours_[node])
      if (chosen_[other]) sum += borders * likeness(shade, colors_.shade[other], count());
    return sum;
  }

  /// Swaps the shades of two nodes if that increases the contrast: the last nodes had little choice.
  bool improve() {
    bool improved = false;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) improved |= swap_if_better(nodes_[i], nodes_[j]);
    return improved;
  }

  bool swap_if_better(std::uint32_t a, std::uint32_t b) {
    auto const both = [&] { return cost(a, colors_.shade[a]) + cost(b, colors_.shade[b]); };
    double const before = both();
    std::swap(colors_.shade[a], colors_.shade[b]);
    if (both() < before - 1e-9) return true;
    std::swap(colors_.shade[a], colors_.shade[b]);
    return false;
  }

  NodeColors& colors_;
  std::vector<std::vector<Neighbour>> neighbours_;  // [nodes]
  std::vector<std::uint32_t> nodes_;                // of the type
  std::vector<std::uint32_t> used_;                 // [shades] by how many nodes
  std::vector<bool> chosen_;                        // [all nodes]
};

}  // namespace

NodeColors node_colors(TileMap const& map, std::span<std::string const> node_types) {
  NodeColors colors;
  for (std::string const& name : node_types) {
    auto const known = std::ranges::find(colors.types, name);
    colors.type.push_back(static_cast<std::uint32_t>(known - colors.types.begin()));
    if (known == colors.types.end()) colors.types.push_back(name);
  }
  colors.shade.resize(node_types.size());
  colors.color.resize(node_types.size());
  ShadeChoice choice(colors, map);
  for (std::uint32_t type = 0; type < colors.types.size(); ++type) choice.choose(type);
  return colors;
}

}  // namespace factosim
