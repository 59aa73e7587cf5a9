#pragma once

#include "factosim/tile_map.hpp"
#include "simulator/search/search_random.hpp"

namespace factosim {

/// Changes the owners of some tiles of a square map by one of four moves, equally likely:
///   one tile goes to a random node;
///   a segment of a row or column gets the owners of another row or column there;
///   a small square gets the owners of tiles beside, above or below it;
///   a row and the column of the same number get the owners of another row and column.
/// The map may remain unchanged.
void move_randomly(TileMap& map, int nodes, SearchRandom& random);

}  // namespace factosim
