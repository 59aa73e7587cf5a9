#pragma once

#include "factosim/tile_map.hpp"
#include "simulator/search/search_random.hpp"

namespace factosim {

/// Changes who owns some tiles of a square map. One of four, equally likely:
///   one tile goes to any node;
///   a piece of a row or of a column gets the owners of another one there;
///   a small square does, from tiles beside, above or below it;
///   a row and the column of its number get the owners of another row and column.
/// It may leave the map as it was.
void move_randomly(TileMap& map, int nodes, SearchRandom& random);

}  // namespace factosim
