#include "simulator/analysis/color.hpp"

#include <fmt/format.h>

namespace factosim {

bool is_dark(Color c) {
  // Relative luminance (WCAG 2, with 2 as the exponent): below this, white contrasts more than the ink does.
  double const luminance = 0.2126 * c.red * c.red + 0.7152 * c.green * c.green + 0.0722 * c.blue * c.blue;
  return luminance < 0.25 * 255 * 255;
}

std::string hex_of(Color c) { return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

}  // namespace factosim
