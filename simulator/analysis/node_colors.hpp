#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "factosim/tile_map.hpp"
#include "simulator/analysis/color.hpp"

namespace factosim {

/// Nodes of one type have shades of one hue; where tiles of two of them meet, their shades differ much.
struct NodeColors {
  std::vector<std::string> types;    // in the order of their first nodes
  std::vector<std::uint32_t> type;   // [nodes] index into types
  std::vector<std::uint32_t> shade;  // [nodes] from light to dark
  std::vector<Color> color;          // [nodes]
};

/// More nodes of one type than this share shades.
constexpr std::uint32_t max_shades = 32;

/// The hues follow the first nodes of the types: blue, orange, grey, green, purple, all over again.
/// O(tiles log tiles + pairs of neighbours).
[[nodiscard]] NodeColors node_colors(TileMap const& map, std::span<std::string const> node_types);

}  // namespace factosim
