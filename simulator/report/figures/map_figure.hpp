#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "distributions/square_partition.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/report/figures/figure.hpp"

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

/// Returns the figure of a distribution. Hues denote types, shades denote nodes. Its numbers are the owners of all tiles.
[[nodiscard]] Figure map_figure(MapPicture const& picture, FigureOptions const& options = {});

/// Returns a coarser map: each tile stands for `block` x `block` tiles and belongs to the node that owns
/// most of them. Ties go to the first node from the top left, not to the lowest number, which would favour
/// the first type. O(tiles log block).
[[nodiscard]] TileMap coarse(TileMap const& map, int block);

}  // namespace factosim
