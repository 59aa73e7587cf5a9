#pragma once

#include <filesystem>
#include <string>

namespace factosim {

/// Returns true if the name ends in `.svg` or `.png`.
[[nodiscard]] bool is_picture_name(std::filesystem::path const& file);

/// Writes an SVG picture: unchanged, or, if the name ends in `.png`, as a bitmap with three pixels per
/// pixel of the picture (by librsvg). The write is atomic. Throws InputError for other names, and for
/// `.png` if the program was built without librsvg.
void write_picture(std::filesystem::path const& file, std::string const& svg);

/// Throws the InputError that `write_picture` would throw for the name.
void check_picture_name(std::filesystem::path const& file);

/// Draws pictures in pixels, by librsvg, in a module.
class PngWriter {
 public:
  virtual ~PngWriter() = default;
  /// Returns the bytes of a PNG with three pixels for one of the picture: 300 dpi at a width of 5 inches.
  [[nodiscard]] virtual std::string png_of_svg(std::string const& svg) const = 0;
};

}  // namespace factosim
