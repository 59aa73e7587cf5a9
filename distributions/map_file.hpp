#pragma once

#include <filesystem>
#include <string>

#include "factosim/tile_map.hpp"

namespace factosim {

/// Reads the plain-text map that Chameleon reads: line 1 `M N`, then M lines of N node numbers from 1 to P.
/// Throws InputError that names file, line and column.
TileMap read_map(std::filesystem::path const& file);

/// The same format. Every tile needs an owner.
std::string map_text(TileMap const& map);

}  // namespace factosim
