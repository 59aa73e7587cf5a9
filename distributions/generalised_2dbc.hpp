#pragma once

#include "distributions/block_cyclic.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Generalised two-dimensional block-cyclic: a pattern for any number P of nodes in which all nodes have
/// equally many tiles, and a row plus a column have at most 2 sqrt(P) + 2 / sqrt(P) nodes on average.
///
/// Let a = ceil(sqrt(P)) columns, b = ceil(P / a) rows and c = a b - P. The nodes, row by row, fill an
/// incomplete pattern of b x a cells without the last c cells of its last row. IP_i, i < b - 1, fills these
/// with the cells above them in row i; L is the first a - c columns, which are complete. In the full pattern,
/// strip i of b rows is IP_i repeated b - 1 times, then L; strips 0 to b - 2 are stacked: b (b - 1) rows and
/// (b - 1) a + a - c = P columns. If c = 0, the pattern is the b x a grid.
///
/// Source: Beaumont, Collin, Eyraud-Dubois, Verite, IPDPS 2023, for a, b, c, the incomplete patterns and the
/// claims. The number of repetitions of IP_i and L is derived here from the claim of equal shares and has not
/// been compared with the figures of the paper: in b - 1 strips, each node above the gap occurs b times and
/// each other node b - 1 times per copy of IP_i, and the latter once more per row and strip in L, so one L
/// balances b - 1 copies.
TileMap generalised_2dbc(int mt, int nt, int nodes);

/// Period of the pattern, in rows and columns of tiles.
[[nodiscard]] Grid generalised_2dbc_period(int nodes);

}  // namespace factosim
