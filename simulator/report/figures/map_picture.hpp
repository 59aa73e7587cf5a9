#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "distributions/square_partition.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// What a picture of a distribution shows. The map must outlive it.
struct MapPicture {
  TileMap const& map;       // an invalid owner: nothing is stored there
  bool lower_only = false;  // what is above the diagonal is not stored either
  std::string title;
  std::vector<std::string> node_types;        // [nodes] name of each node's type; may be empty
  std::vector<std::uint64_t> tiles_per_node;  // [nodes]
  std::vector<int> section_first_k = {};      // ascending; lines before these rows and columns
  /// [nodes] of the unit square, drawn beside the map; may be empty.
  std::vector<SquarePartition::Rectangle> partition = {};
};

/// A matrix of more tiles a side is drawn with one cell for several tiles.
constexpr int max_cells_per_side = 300;

/// The picture as SVG that needs nothing else. Hues stand for types, shades for nodes.
[[nodiscard]] std::string map_svg(MapPicture const& picture);

}  // namespace factosim
