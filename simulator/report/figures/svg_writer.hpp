#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/report/analysis/report_colors.hpp"
#include "simulator/report/figures/figure_style.hpp"

namespace factosim {

struct SvgBox {
  double left = 0, top = 0, width = 0, height = 0;
};

struct SvgTextStyle {
  enum class Anchor : std::uint8_t { start, middle, end };
  double size = 12;
  Anchor anchor = Anchor::start;
  Color color{0x22, 0x22, 0x22};
  bool bold = false;
  bool upwards = false;  // rotated to read from bottom to top
};

/// Writes an SVG picture shape by shape; later shapes lie above earlier ones. Lengths are in the units of its
/// style, y increases downwards.
class SvgWriter {
 public:
  explicit SvgWriter(FigureStyle style = {}) : style_(std::move(style)) {}

  void rectangle(SvgBox box, Color fill);
  void frame(SvgBox box, Color stroke, double width);
  void line(double x1, double y1, double x2, double y2, Color stroke, double width);
  /// `y` is the middle of the text's height.
  void text(double x, double y, std::string_view content, SvgTextStyle const& style);

  /// Shapes until `close_group` use coordinates with origin (x, y) and this unit.
  void open_scaled_group(std::string_view id, double x, double y, double unit);
  /// Rectangles until `close_group` have this fill; `name` is their tooltip.
  void open_filled_group(Color fill, std::string_view name);
  /// Requires an open filled group.
  void filled(SvgBox box);
  void close_group();

  /// Draws cells of a table that fills `box`, all with one fill; `name` as in `open_filled_group`. About 15
  /// bytes per cell.
  struct Cells {
    std::uint32_t column = 0, row = 0, width = 1;  // width: number of adjacent cells
  };
  void cells(SvgBox box, std::size_t columns, std::size_t rows, std::span<Cells const> cells, Color fill,
             std::string_view name);

  /// Draws a line through points (x, y). `dash`: lengths of strokes and gaps, "6 3"; empty: solid.
  void polyline(std::span<std::pair<double, double> const> points, Color stroke, double width,
                std::string_view dash = {});
  void circle(double x, double y, double radius, Color fill);
  /// Shapes until `close_group` are cut at the edges of the box.
  void open_clipped_group(SvgBox box);
  /// Draws a polygon with corners (x, y), rounded to a tenth of a pixel.
  void polygon(std::span<std::pair<double, double> const> points, Color fill);

  /// Returns the whole picture, on white; `title` is for screen readers and window titles.
  [[nodiscard]] std::string picture(double width, double height, std::string_view title) const;

 private:
  [[nodiscard]] std::string paint(Color color) const;

  FigureStyle style_;
  std::string body_;
  int clips_ = 0;
};

/// Returns the width of a text in the widest of the common sans-serif fonts.
[[nodiscard]] double text_width(std::string_view text, SvgTextStyle const& style);
/// Returns the text in lines that fit the width, broken at spaces if possible.
[[nodiscard]] std::vector<std::string> wrapped(std::string text, SvgTextStyle const& style, double width);
/// Returns the text, shortened to this width with "…" at the end.
[[nodiscard]] std::string shortened_to(std::string_view text, double width, SvgTextStyle const& style);

}  // namespace factosim
