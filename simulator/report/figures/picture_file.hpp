#pragma once

#include <filesystem>
#include <string>

#include "simulator/report/figures/figure_style.hpp"

namespace factosim {

/// Returns true if the name ends in `.svg`, `.pdf`, `.png` or `.csv`.
[[nodiscard]] bool is_figure_name(std::filesystem::path const& file);

/// Writes a figure in the format of the file's name: `.svg`, also to standard output ("-"); `.pdf`, with letters as text; `.png`, with three
/// pixels per unit of the picture (both by librsvg); `.csv`, its numbers. The write is atomic. Throws InputError
/// for other names, and for `.png` and `.pdf` if the program was built without librsvg.
void write_figure(std::filesystem::path const& file, Drawing const& drawing);

/// Throws the InputError that `write_figure` would throw for the name.
void check_figure_name(std::filesystem::path const& file);

/// Draws pictures by librsvg, in a module.
class PictureWriter {
 public:
  virtual ~PictureWriter() = default;
  /// Returns the bytes of a PNG with three pixels for one unit of the picture: 288 dpi.
  [[nodiscard]] virtual std::string png_of_svg(std::string const& svg) const = 0;
  /// Returns the bytes of a PDF of the picture's size. Deterministic.
  [[nodiscard]] virtual std::string pdf_of_svg(std::string const& svg) const = 0;
};

}  // namespace factosim
