#pragma once

#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim {

/// Tiles m ... m + height − 1, n ... n + width − 1, all with one owner.
struct TileRun {
  int m = 0, n = 0, height = 1, width = 1;
  NodeId owner;
};

/// The map without what is not stored: above the diagonal, nothing is owned.
[[nodiscard]] TileMap lower_triangle(TileMap map);

/// Each tile stands for `block` x `block` tiles of the map and belongs to the node that owns most of them. Of
/// equals it is the one met first from the top left, not the lowest: that would favour the type numbered
/// first. O(tiles log block).
[[nodiscard]] TileMap coarse(TileMap const& map, int block);

/// Every tile that has an owner, in one of few runs: equal neighbours in a row, and equal such in rows below.
[[nodiscard]] std::vector<TileRun> tile_runs(TileMap const& map);

}  // namespace factosim
