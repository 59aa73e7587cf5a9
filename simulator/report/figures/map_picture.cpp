#include "simulator/report/figures/map_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "factosim/error.hpp"
#include "simulator/report/analysis/node_colors.hpp"
#include "simulator/report/analysis/tile_runs.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;

constexpr Color ink{0x22, 0x22, 0x22}, white{0xff, 0xff, 0xff};
constexpr double margin = 20, left_of_plot = 74, above_plot = 46, beside_plot = 64;
constexpr double max_pixels_per_side = 720, max_pixels_per_cell = 64;
constexpr int max_numbered_tiles_per_side = 40;
constexpr SvgTextStyle title_style{.size = 19, .bold = true};
constexpr SvgTextStyle subtitle_style{.size = 13};
constexpr SvgTextStyle heading_style{.size = 13, .bold = true};

constexpr double legend_width = 298, swatch_width = 28, swatch_height = 18, swatch_gap = 2;
constexpr std::size_t swatches_a_row = 10;
constexpr std::size_t max_listed_nodes = 200;
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

/// The legend of node colours, type by type, with (left, top) as its corner.
class Legend {
 public:
  Legend(SvgWriter& out, NodeColors const& colors, double left, double top)
      : out_(out), colors_(colors), left_(left), y_(top) {}

  /// Returns its lower end.
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
    if (!colors_.types[type].empty()) line(shortened(colors_.types[type]), heading_style, 18);
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
      SvgBox const box{.left = left_ + static_cast<double>(column) * (swatch_width + swatch_gap),
                       .top = y_ + static_cast<double>(row) * (swatch_height + swatch_gap),
                       .width = swatch_width,
                       .height = swatch_height};
      out_.rectangle(box, colors_.color[nodes[i]]);
      SvgTextStyle style = small;
      if (is_dark(colors_.color[nodes[i]])) style.color = {0xff, 0xff, 0xff};
      out_.text(box.left + swatch_width / 2, box.top + swatch_height / 2, std::to_string(nodes[i]), style);
    }
    std::size_t const rows = (nodes.size() - 1) / swatches_a_row + 1;
    y_ += static_cast<double>(rows) * (swatch_height + swatch_gap);
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

/// Returns the smallest of 1, 2, 5, 10, 20, 50 ... that needs at most 15 labels.
int label_step(int tiles) {
  for (int power = 1;; power *= 10)
    for (int const digit : {1, 2, 5})
      if (digit * power * 15 >= tiles) return digit * power;
}

Color text_color(Color background) { return is_dark(background) ? white : ink; }

std::vector<std::string> types_of(MapPicture const& picture) {
  return picture.node_types.empty() ? std::vector<std::string>(picture.tiles_per_node.size())
                                    : picture.node_types;
}

class MapDrawing {
 public:
  explicit MapDrawing(MapPicture const& picture)
      : picture_(picture),
        stored_(picture.lower_only ? lower_triangle(picture.map) : picture.map),
        side_(std::max(stored_.mt, stored_.nt)),
        block_((side_ + max_cells_per_side - 1) / max_cells_per_side),
        cells_(coarse(stored_, block_)),
        colors_(node_colors(cells_, types_of(picture))) {
    double const pixels_a_cell = std::floor(max_pixels_per_side / std::max(cells_.mt, cells_.nt));
    tile_ = std::min(pixels_a_cell, max_pixels_per_cell) / block_;
    plot_ = {.left = left_of_plot, .width = tile_ * stored_.nt, .height = tile_ * stored_.mt};
  }

  std::string svg() {
    plot_.top = header() + above_plot;
    tiles();
    if (side_ <= max_numbered_tiles_per_side) numbers();
    sections();
    axes();
    double const left = plot_.left + plot_.width + beside_plot;
    double bottom = Legend(out_, colors_, left, plot_.top).draw(picture_.tiles_per_node);
    if (!picture_.partition.empty()) bottom = partition(left, bottom);
    bottom = std::max(bottom, plot_.top + plot_.height) + margin;
    return out_.picture(page_width(), bottom, picture_.title);
  }

 private:
  [[nodiscard]] double page_width() const {
    return plot_.left + plot_.width + beside_plot + legend_width + margin;
  }
  [[nodiscard]] double x(double n) const { return plot_.left + tile_ * n; }
  [[nodiscard]] double y(double m) const { return plot_.top + tile_ * m; }

  [[nodiscard]] std::string subtitle() const {
    std::size_t const nodes = colors_.type.size();
    std::string text =
        fmt::format("{} \u00d7 {} tiles{} on {} node{}", stored_.mt, stored_.nt,
                    picture_.lower_only ? ", lower triangle," : "", nodes, nodes == 1 ? "" : "s");
    if (block_ > 1)
      text += fmt::format("; each cell shows the most frequent owner of {0} \u00d7 {0} tiles", block_);
    return text;
  }

  /// Draws title and subtitle. Returns their lower end.
  double header() {
    double bottom = margin;
    auto const write = [&](std::string const& text, SvgTextStyle const& style) {
      for (std::string const& line : wrapped(text, style, page_width() - 2 * margin)) {
        out_.text(margin, bottom + style.size * 0.65, line, style);
        bottom += style.size * 1.3;
      }
    };
    write(picture_.title, title_style);
    write(subtitle(), subtitle_style);
    return bottom;
  }

  void tiles() {
    std::vector<std::vector<TileRun>> runs(colors_.type.size());  // [nodes]
    for (TileRun const& run : tile_runs(cells_)) runs[run.owner.index()].push_back(run);
    out_.open_scaled_group("tiles", plot_.left, plot_.top, tile_);
    for (std::size_t node = 0; node < runs.size(); ++node) {
      if (runs[node].empty()) continue;
      out_.open_filled_group(colors_.color[node],
                             fmt::format("node {} {}", node, colors_.types[colors_.type[node]]));
      for (TileRun const& run : runs[node]) out_.filled(tiles_of(run));
      out_.close_group();
    }
    out_.close_group();
  }

  /// The last cells may cover fewer tiles than the others.
  [[nodiscard]] SvgBox tiles_of(TileRun const& run) const {
    int const m = run.m * block_, n = run.n * block_;
    return {.left = static_cast<double>(n),
            .top = static_cast<double>(m),
            .width = static_cast<double>(std::min(run.width * block_, stored_.nt - n)),
            .height = static_cast<double>(std::min(run.height * block_, stored_.mt - m))};
  }

  /// Draws the cells of the tiles in the colours of their nodes.
  void numbers() {
    for (int n = 1; n < stored_.nt; ++n) out_.line(x(n), y(0), x(n), y(stored_.mt), white, 0.8);
    for (int m = 1; m < stored_.mt; ++m) out_.line(x(0), y(m), x(stored_.nt), y(m), white, 0.8);
    SvgTextStyle style{.size = std::min(0.45 * tile_, 16.0), .anchor = Anchor::middle};
    for (int m = 0; m < stored_.mt; ++m)
      for (int n = 0; n < stored_.nt; ++n) {
        NodeId const owner = stored_.at(m, n);
        if (!owner.valid()) continue;
        style.color = text_color(colors_.color[owner.index()]);
        out_.text(x(n + 0.5), y(m + 0.5), std::to_string(owner.value()), style);
      }
  }

  void axes() {
    out_.frame(plot_, ink, 1);
    SvgTextStyle const above{.anchor = Anchor::middle}, beside{.anchor = Anchor::end};
    for (int n = 0; n < stored_.nt; n += label_step(side_)) {
      out_.line(x(n + 0.5), plot_.top - 5, x(n + 0.5), plot_.top, ink, 1);
      out_.text(x(n + 0.5), plot_.top - 13, std::to_string(n), above);
    }
    for (int m = 0; m < stored_.mt; m += label_step(side_)) {
      out_.line(plot_.left - 5, y(m + 0.5), plot_.left, y(m + 0.5), ink, 1);
      out_.text(plot_.left - 9, y(m + 0.5), std::to_string(m), beside);
    }
    out_.text(x(stored_.nt / 2.0), plot_.top - 33, "column n of tiles", {.anchor = Anchor::middle});
    out_.text(margin + 6, y(stored_.mt / 2.0), "row m of tiles", {.anchor = Anchor::middle, .upwards = true});
  }

  void sections() {
    bool const lower = picture_.lower_only;
    double label_end = 0;
    for (int const k : picture_.section_first_k) {
      double const right = lower ? x(k) : plot_.left + plot_.width;
      border(plot_.left, y(k), right, y(k));
      border(x(k), lower ? y(k) : plot_.top, x(k), plot_.top + plot_.height);
      double const label = lower ? y(k) - 8 : y(k);  // above the diagonal
      if (label - 7 < label_end) continue;           // no room for another
      out_.text(right + 5, label, fmt::format("k = {}", k + 1), {.size = 11});
      label_end = label + 7;
    }
  }

  /// Draws a line that is visible on light and on dark tiles.
  void border(double x1, double y1, double x2, double y2) {
    out_.line(x1, y1, x2, y2, white, 3);
    out_.line(x1, y1, x2, y2, ink, 1.4);
  }

  /// Draws the unit square below the legend. Returns its lower end.
  double partition(double left, double top) {
    out_.text(left, top + 9, "Partition of the unit square", heading_style);
    SvgBox const square{.left = left, .top = top + 24, .width = legend_width, .height = legend_width};
    for (std::size_t node = 0; node < picture_.partition.size(); ++node) {
      SquarePartition::Rectangle const& r = picture_.partition[node];
      if (r.width * r.height <= 0) continue;
      rectangle_of(node, {.left = square.left + r.left * square.width,
                          .top = square.top + r.top * square.height,
                          .width = r.width * square.width,
                          .height = r.height * square.height});
    }
    out_.frame(square, ink, 1);
    return square.top + square.height;
  }

  void rectangle_of(std::size_t node, SvgBox const& box) {
    out_.rectangle(box, colors_.color[node]);
    out_.frame(box, white, 1);
    std::string const number = std::to_string(node);
    double const fits = std::min(box.height / 1.2, box.width / (0.7 * static_cast<double>(number.size())));
    if (fits < 7) return;  // unreadable
    out_.text(
        box.left + box.width / 2, box.top + box.height / 2, number,
        {.size = std::min(fits, 13.0), .anchor = Anchor::middle, .color = text_color(colors_.color[node])});
  }

  MapPicture const& picture_;
  TileMap stored_;  // of the drawn tiles only
  int side_;        // tiles along the longer side
  int block_;       // tiles along the side of a cell
  TileMap cells_;
  NodeColors colors_;
  double tile_ = 0;  // pixels along the side of a tile
  SvgBox plot_;
  SvgWriter out_;
};

}  // namespace

std::string map_svg(MapPicture const& picture) {
  FACTOSIM_EXPECT(picture.map.mt > 0 && picture.map.nt > 0, "a picture needs a tile");
  FACTOSIM_EXPECT(picture.node_types.empty() || picture.node_types.size() == picture.tiles_per_node.size(),
                  "types and tiles are of the same nodes");
  FACTOSIM_EXPECT(picture.partition.empty() || picture.partition.size() == picture.tiles_per_node.size(),
                  "rectangles and tiles are of the same nodes");
  FACTOSIM_EXPECT(
      std::ranges::all_of(
          picture.map.owner,
          [&](NodeId owner) { return !owner.valid() || owner.index() < picture.tiles_per_node.size(); }),
      "owners are nodes");
  return MapDrawing(picture).svg();
}

}  // namespace factosim
