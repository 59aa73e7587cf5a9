#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "factosim/tile_map.hpp"
#include "simulator/report/analysis/report_colors.hpp"

namespace factosim {

/// Colours of nodes: shades of one hue per type, with high contrast between nodes whose tiles are
/// neighbours.
struct NodeColors {
  std::vector<std::string> types;    // in the order of their first nodes
  std::vector<std::uint32_t> type;   // [nodes] index into types
  std::vector<std::uint32_t> shade;  // [nodes] from light to dark
  std::vector<Color> color;          // [nodes]
};

/// Shades of one type; with more nodes, several share a shade.
constexpr std::uint32_t max_shades = 32;

/// Chooses the colours. Hues are given to types in the order of their first nodes: blue, orange, grey,
/// green, purple, then again from the first. O(tiles log tiles + pairs of neighbours).
[[nodiscard]] NodeColors node_colors(TileMap const& map, std::span<std::string const> node_types);

}  // namespace factosim
