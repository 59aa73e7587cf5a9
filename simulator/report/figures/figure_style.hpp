#pragma once

#include <optional>
#include <string>
#include <utility>

#include "simulator/report/analysis/table.hpp"

namespace factosim {

/// Colours of a figure. `color` can be told apart by colour-blind readers (Okabe and Ito); `grey` has the
/// luminance of these colours, for print in black and white, where marks and dashes tell curves apart.
enum class Palette { color, grey };

/// Size and letters of a figure. Its lengths are in units in which text is about 13 high; a unit is
/// 1/96 inch unless `font_pt` is given.
struct FigureStyle {
  double width_mm = 0, height_mm = 0;  // of the picture; 0: as much as it needs
  double font_pt = 0;                  // height of the letters of labels; 0: 9.75 pt, which are 13 units
  std::string font;                    // family; empty: a sans-serif one
  Palette palette = Palette::color;

  [[nodiscard]] double unit_mm() const {
    constexpr double mm_per_inch = 25.4, units = 13;
    return font_pt > 0 ? font_pt / units * mm_per_inch / 72 : mm_per_inch / 96;
  }
  /// Returns the given width or height in units, or `otherwise` if none is given.
  [[nodiscard]] double width(double otherwise) const {
    return width_mm > 0 ? width_mm / unit_mm() : otherwise;
  }
  [[nodiscard]] double height(double otherwise) const {
    return height_mm > 0 ? height_mm / unit_mm() : otherwise;
  }
};

/// An axis of a figure, as its user asks for it.
struct AxisOptions {
  std::optional<std::string> label;                // instead of the name of the quantity
  std::optional<std::pair<double, double>> range;  // first < last; without: all values
  bool logarithmic = false;
};

/// What the user of a figure chooses.
struct FigureOptions {
  FigureStyle style;
  std::optional<std::string> title;  // empty: none; without: the name of the run or sweep
  AxisOptions x, y;
};

/// A figure as a picture and as its numbers.
struct Drawing {
  std::string svg;
  Table numbers;
};

}  // namespace factosim
