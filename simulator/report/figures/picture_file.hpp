#pragma once

#include <filesystem>
#include <string>

namespace factosim {

/// Writes an SVG picture: unchanged, or, if the name ends in `.png`, as a bitmap with three pixels per
/// pixel of the picture (by librsvg). The write is atomic. Throws InputError for other names, and for
/// `.png` if the program was built without librsvg.
void write_picture(std::filesystem::path const& file, std::string const& svg);

/// Throws the InputError that `write_picture` would throw for the name.
void check_picture_name(std::filesystem::path const& file);

}  // namespace factosim
