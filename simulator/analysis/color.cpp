#include "simulator/analysis/color.hpp"

#include <fmt/format.h>

namespace factosim {

bool is_dark(Color c) {
  // Relative luminance (WCAG 2, with exponent 2). Below this limit, white has more contrast than black.
  double const luminance = 0.2126 * c.red * c.red + 0.7152 * c.green * c.green + 0.0722 * c.blue * c.blue;
  return luminance < 0.25 * 255 * 255;
}

std::string hex_of(Color c) { return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

}  // namespace factosim
