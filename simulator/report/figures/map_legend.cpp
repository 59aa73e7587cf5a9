#include "simulator/report/figures/map_legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace factosim {

namespace {

constexpr double swatch_width = 28, swatch_height = 18, gap = 2;
constexpr std::size_t swatches_a_row = 10;
constexpr std::size_t max_listed_nodes = 200;
constexpr SvgTextStyle heading{.size = 13, .bold = true};
constexpr SvgTextStyle plain{.size = 12};
constexpr SvgTextStyle small{.size = 11, .anchor = SvgTextStyle::Anchor::middle};

std::string count_of(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string tiles_text(std::span<std::uint64_t const> tiles) {
  auto const [minimum, maximum] = std::ranges::minmax(tiles);
  if (tiles.size() == 1) return count_of(minimum, "tile");
  if (minimum == maximum) return count_of(minimum, "tile") + " each";
  return fmt::format("{}\u2013{} tiles each", minimum, maximum);
}

class Legend {
 public:
  Legend(SvgWriter& out, NodeColors const& colors, double left, double top)
      : out_(out), colors_(colors), left_(left), y_(top) {}

  double draw(std::span<std::uint64_t const> tiles_per_node) {
    for (std::uint32_t type = 0; type < colors_.types.size(); ++type) draw_type(type, tiles_per_node);
    return y_;
  }

 private:
  void draw_type(std::uint32_t type, std::span<std::uint64_t const> tiles_per_node) {
    std::vector<std::uint32_t> nodes;
    std::vector<std::uint64_t> tiles;
    for (std::uint32_t n = 0; n < colors_.type.size(); ++n)
      if (colors_.type[n] == type) {
        nodes.push_back(n);
        tiles.push_back(tiles_per_node[n]);
      }
    if (!colors_.types[type].empty()) line(shortened(colors_.types[type]), heading, 18);
    line(fmt::format("{}, {}", count_of(nodes.size(), "node"), tiles_text(tiles)), plain, 16);
    y_ += 4;
    if (colors_.type.size() <= max_listed_nodes)
      list(nodes);
    else
      ramp(nodes);
    if (nodes.size() > max_shades) line("several nodes have the same shade", plain, 16);
    y_ += 18;
  }

  void line(std::string_view text, SvgTextStyle const& style, double height) {
    out_.text(left_, y_ + height / 2, text, style);
    y_ += height;
  }

  static std::string shortened(std::string const& name) {
    constexpr std::size_t max_characters = 30;
    if (name.size() <= max_characters) return name;
    std::size_t end = max_characters;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
    return name.substr(0, end) + "\u2026";
  }

  /// Draws a coloured box for each node, with its number.
  void list(std::vector<std::uint32_t> const& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::size_t const row = i / swatches_a_row, column = i % swatches_a_row;
      SvgBox const box{.left = left_ + static_cast<double>(column) * (swatch_width + gap),
                       .top = y_ + static_cast<double>(row) * (swatch_height + gap),
                       .width = swatch_width,
                       .height = swatch_height};
      out_.rectangle(box, colors_.color[nodes[i]]);
      SvgTextStyle style = small;
      if (is_dark(colors_.color[nodes[i]])) style.color = {0xff, 0xff, 0xff};
      out_.text(box.left + swatch_width / 2, box.top + swatch_height / 2, std::to_string(nodes[i]), style);
    }
    std::size_t const rows = (nodes.size() - 1) / swatches_a_row + 1;
    y_ += static_cast<double>(rows) * (swatch_height + gap);
  }

  /// Draws all shades of a type with too many nodes to name.
  void ramp(std::vector<std::uint32_t> const& nodes) {
    std::vector<std::uint32_t> shown;  // one node of each shade
    for (std::uint32_t const n : nodes)
      if (std::ranges::none_of(shown, [&](auto s) { return colors_.shade[s] == colors_.shade[n]; }))
        shown.push_back(n);
    std::ranges::sort(shown, {}, [&](auto s) { return colors_.shade[s]; });
    double const width = std::floor(legend_width / static_cast<double>(shown.size()));
    for (std::size_t i = 0; i < shown.size(); ++i)
      out_.rectangle({left_ + static_cast<double>(i) * width, y_, width, swatch_height},
                     colors_.color[shown[i]]);
    y_ += swatch_height + 4;
    if (nodes.back() - nodes.front() + 1 == nodes.size())
      line(fmt::format("nodes {}\u2013{}", nodes.front(), nodes.back()), plain, 16);
  }

  SvgWriter& out_;
  NodeColors const& colors_;
  double left_, y_;
};

}  // namespace

double draw_legend(SvgWriter& out, NodeColors const& colors, std::span<std::uint64_t const> tiles_per_node,
                   double left, double top) {
  return Legend(out, colors, left, top).draw(tiles_per_node);
}

}  // namespace factosim
