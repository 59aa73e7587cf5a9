#pragma once

#include "distributions/one_dimensional.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// 1Dx1D: the rows of the matrix are shared out among the virtual rows of the partition in proportion to
/// their heights, the columns among the virtual columns in proportion to their widths, each by the
/// one-dimensional algorithm; a tile belongs to the node where its row and its column meet. Asymptotically
/// optimal for every iteration of LU at once, whatever the partition. Source: Beaumont, Legrand, Rastello,
/// Robert, IJHPCA 2001; ICPADS 2020, section II-B.
[[nodiscard]] TileMap one_by_one(int mt, int nt, SquarePartition const& partition,
                                 TieRule tie = TieRule::highest);

}  // namespace factosim
