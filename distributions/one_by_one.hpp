#pragma once

#include "distributions/one_dimensional.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// 1Dx1D: the one-dimensional algorithm distributes the rows of the matrix to the virtual rows of the
/// partition in proportion to their heights, and the columns to the virtual columns in proportion to their
/// widths; a tile belongs to the node at the crossing of its virtual row and column. Asymptotically optimal
/// for every iteration of LU simultaneously, for any partition. Source: Beaumont, Legrand, Rastello, Robert,
/// IJHPCA 2001; ICPADS 2020, section II-B.
[[nodiscard]] TileMap one_by_one(int mt, int nt, SquarePartition const& partition,
                                 TieRule tie = TieRule::highest);

}  // namespace factosim
