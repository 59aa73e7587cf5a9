#pragma once

#include <cstddef>
#include <optional>

#include "factosim/tile_map.hpp"

namespace factosim {

/// A grid of p rows and q columns of nodes.
struct Grid {
  int p = 1;
  int q = 1;

  /// Row-major index of the node in row i and column j.
  [[nodiscard]] std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(q) + static_cast<std::size_t>(j);
  }
};

/// Returns the most nearly square grid p x q = `nodes` with p <= q.
inline Grid most_square_grid(int nodes) {
  int p = 1;
  for (int candidate = 1; candidate * candidate <= nodes; ++candidate)
    if (nodes % candidate == 0) p = candidate;
  return {p, nodes / p};
}

/// Two-dimensional block-cyclic map: tile (m, n) belongs to node (m mod p) q + (n mod q).
/// Source: Blackford et al., ScaLAPACK (1996); the standard map of dense linear algebra on equal nodes.
inline TileMap block_cyclic(int mt, int nt, Grid grid) {
  return tile_map(mt, nt, [&](int m, int n) { return (m % grid.p) * grid.q + n % grid.q; });
}

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

/// Owners of the diagonal cells of the pattern.
enum class SbcVariant {
  basic,    ///< r / 2 additional nodes, two cells each: r r / 2 nodes, r even
  extended  ///< the r (r - 1) / 2 nodes of the other cells, in turn
};

/// Symmetric block-cyclic, for Cholesky: a pattern of r x r cells in which (i, j) and (j, i) belong to one
/// node, so that the owners of a row are the owners of the column. A tile of the lower triangle is sent to at
/// most r - 1 other nodes (r - 2 if extended), about sqrt(2) times fewer than block-cyclic on as many nodes.
///
/// Cells (i, j) and (j, i), i < j, belong to node i + j (j - 1) / 2. Extended: for r > 3 the diagonal cells
/// of r consecutive columns of tiles belong to r different nodes, cell (d, d) to a node of row d. The next r
/// columns use other nodes, so that all nodes have equally many after (r - 1) / 2 turns (r odd) or r - 1
/// turns (r even). The upper triangle mirrors the lower one.
///
/// Source: Beaumont, Duchon, Eyraud-Dubois, Langou, Verite, SC 2022; nodes and turns are numbered as PaRSEC
/// numbers them.
TileMap symmetric_block_cyclic(int nt, int r, SbcVariant variant);

/// Number of nodes of a pattern of size r.
[[nodiscard]] int sbc_nodes(int r, SbcVariant variant);

/// Returns the size r of the pattern with exactly that many nodes, if there is one.
[[nodiscard]] std::optional<int> sbc_size(int nodes, SbcVariant variant);

}  // namespace factosim
