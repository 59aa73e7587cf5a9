#pragma once

#include <filesystem>
#include <string>

#include "factosim/tile_map.hpp"

namespace factosim {

/// Reads a map in Chameleon's text format: line 1 `M N`, then M lines of N node numbers from 1 to P. Throws
/// InputError with file, line and column.
TileMap read_map(std::filesystem::path const& file);

/// Returns the map in that format. Every tile needs an owner.
std::string map_text(TileMap const& map);

}  // namespace factosim
