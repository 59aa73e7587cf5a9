#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/analysis/color.hpp"

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
  bool upwards = false;  // turned to read from bottom to top
};

/// An SVG picture, written shape by shape; what comes later lies above. Lengths are in pixels, y grows
/// downwards.
class SvgWriter {
 public:
  void rectangle(SvgBox box, Color fill);
  void frame(SvgBox box, Color stroke, double width);
  void line(double x1, double y1, double x2, double y2, Color stroke, double width);
  /// `y` is the middle of the text's height.
  void text(double x, double y, std::string_view content, SvgTextStyle const& style);

  /// Shapes until `close_group` have the coordinates of a system that starts at (x, y) with this unit.
  void open_scaled_group(std::string_view id, double x, double y, double unit);
  /// Rectangles until `close_group` have this fill; `name` is shown when a reader points at one.
  void open_filled_group(Color fill, std::string_view name);
  /// Only within a filled group.
  void filled(SvgBox box);
  void close_group();

  /// Cells of a table that fills `box`, all of one fill; `name` as in `open_filled_group`. Takes some 15
  /// bytes a cell.
  struct Cells {
    std::uint32_t column = 0, row = 0, width = 1;  // so many cells beside each other
  };
  void cells(SvgBox box, std::size_t columns, std::size_t rows, std::span<Cells const> cells, Color fill,
             std::string_view name);

  /// A line through points (x, y); `dash`: lengths of strokes and gaps, 0: one stroke.
  void polyline(std::span<std::pair<double, double> const> points, Color stroke, double width,
                double dash = 0);
  /// An area within points (x, y), told with a tenth of a pixel.
  void polygon(std::span<std::pair<double, double> const> points, Color fill);

  /// The whole picture, on white; `title` is for screen readers and window titles.
  [[nodiscard]] std::string picture(double width, double height, std::string_view title) const;

 private:
  std::string body_;
};

/// How wide a text is at most in the sans-serif fonts in use.
[[nodiscard]] double text_width(std::string_view text, SvgTextStyle const& style);

}  // namespace factosim
