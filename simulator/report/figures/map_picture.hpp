#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "distributions/square_partition.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// The content of a picture of a distribution. The map must outlive it.
struct MapPicture {
  TileMap const& map;       // invalid owner: not stored
  bool lower_only = false;  // tiles above the diagonal are not stored either
  std::string title;
  std::vector<std::string> node_types;        // [nodes] name of each node's type; may be empty
  std::vector<std::uint64_t> tiles_per_node;  // [nodes]
  std::vector<int> section_first_k = {};      // ascending; lines before these rows and columns
  /// [nodes] of the unit square, drawn beside the map; may be empty.
  std::vector<SquarePartition::Rectangle> partition = {};
};

/// Larger matrices are drawn with one cell for several tiles.
constexpr int max_cells_per_side = 300;

/// Draws the picture as a self-contained SVG. Hues denote types, shades denote nodes.
[[nodiscard]] std::string map_svg(MapPicture const& picture);

}  // namespace factosim
