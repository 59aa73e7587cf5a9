#pragma once

#include <filesystem>
#include <string>

namespace factosim {

/// Writes an SVG picture, as it is or, where the name ends in `.png`, in pixels, three for one of the picture
/// (by librsvg). The file appears whole or not at all. Throws InputError for other names, and for `.png`
/// where this program was built without librsvg.
void write_picture(std::filesystem::path const& file, std::string const& svg);

/// Throws the InputError that `write_picture` would, before anything is drawn.
void check_picture_name(std::filesystem::path const& file);

}  // namespace factosim
