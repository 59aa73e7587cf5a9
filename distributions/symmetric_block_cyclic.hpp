#pragma once

#include <optional>

#include "factosim/tile_map.hpp"

namespace factosim {

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
