#pragma once

#include <string>

namespace factosim {

/// Draws pictures in pixels, by librsvg, in a module.
class PngWriter {
 public:
  virtual ~PngWriter() = default;
  /// Returns the bytes of a PNG with three pixels for one of the picture: 300 dpi at a width of 5 inches.
  [[nodiscard]] virtual std::string png_of_svg(std::string const& svg) const = 0;
};

}  // namespace factosim
