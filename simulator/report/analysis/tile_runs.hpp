#pragma once

#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim {

/// Tiles m ... m + height − 1, n ... n + width − 1, all with one owner.
struct TileRun {
  int m = 0, n = 0, height = 1, width = 1;
  NodeId owner;
};

/// Returns the map without owners above the diagonal.
[[nodiscard]] TileMap lower_triangle(TileMap map);

/// Returns a coarser map: each tile stands for `block` x `block` tiles and belongs to the node that owns
/// most of them. Ties go to the first node from the top left, not to the lowest number, which would favour
/// the first type. O(tiles log block).
[[nodiscard]] TileMap coarse(TileMap const& map, int block);

/// Covers all tiles that have an owner with few rectangles: neighbours in a row with one owner, extended
/// over equal rows below.
[[nodiscard]] std::vector<TileRun> tile_runs(TileMap const& map);

}  // namespace factosim
