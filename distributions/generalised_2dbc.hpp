#pragma once

#include "distributions/block_cyclic.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Generalised two-dimensional block-cyclic: a pattern for any number P of nodes in which each has equally
/// many tiles, and a row and a column together have at most 2 sqrt(P) + 2 / sqrt(P) nodes in the mean.
///
/// With a = ceil(sqrt(P)) columns, b = ceil(P / a) rows and c = a b - P, the nodes row by row fill an
/// incomplete pattern of b x a cells but for the last c cells of its last row. IP_i, i < b - 1, fills these
/// with the cells above them in row i; L is the first a - c columns, where nothing is missing. In the full
/// pattern, strip i of b rows is IP_i repeated b - 1 times, then L; strips 0 to b - 2 lie over each other:
/// b (b - 1) rows and (b - 1) a + a - c = P columns. Where c = 0 the pattern is the b x a grid.
///
/// Source: Beaumont, Collin, Eyraud-Dubois, Verite, IPDPS 2023, for a, b, c, the incomplete patterns and the
/// claims. How often IP_i and L repeat is derived here from the claim of equal shares and not compared with
/// the figures of the paper: in b - 1 strips each node over the gap comes b times and the others b - 1 times
/// a copy of IP_i, and the latter once more per row and strip in L, so one L evens out b - 1 copies.
TileMap generalised_2dbc(int mt, int nt, int nodes);

/// Rows and columns of tiles after which that pattern repeats.
[[nodiscard]] Grid generalised_2dbc_period(int nodes);

}  // namespace factosim
