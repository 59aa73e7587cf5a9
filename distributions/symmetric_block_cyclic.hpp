#pragma once

#include <optional>

#include "factosim/tile_map.hpp"

namespace factosim {

/// Who owns the diagonal cells of the pattern.
enum class SbcVariant {
  basic,    ///< r / 2 more nodes, two cells each: r r / 2 nodes, r even
  extended  ///< the r (r - 1) / 2 nodes of the other cells, in turn
};

/// Symmetric block-cyclic, for Cholesky: a pattern of r x r cells in which (i, j) and (j, i) are one node's,
/// so that the owners of a row are those of the column. A tile of the lower triangle is sent to at most r - 1
/// other nodes (r - 2 if extended), about sqrt(2) times fewer than block-cyclic on as many nodes.
///
/// Cells (i, j) and (j, i), i < j, are of node i + j (j - 1) / 2. Extended: the diagonal cells of r columns
/// of tiles are of r different nodes where r > 3, cell (d, d) of a node of row d. The next r columns take
/// other nodes, so that all have had as many after (r - 1) / 2 turns (r odd) or r - 1 turns (r even). The
/// upper triangle mirrors the lower one.
///
/// Source: Beaumont, Duchon, Eyraud-Dubois, Langou, Verite, SC 2022; nodes and turns are numbered as PaRSEC
/// numbers them.
TileMap symmetric_block_cyclic(int nt, int r, SbcVariant variant);

/// Nodes of a pattern of size r.
[[nodiscard]] int sbc_nodes(int r, SbcVariant variant);

/// The size r of the pattern with exactly that many nodes, if there is one.
[[nodiscard]] std::optional<int> sbc_size(int nodes, SbcVariant variant);

}  // namespace factosim
