#pragma once

#include <string_view>
#include <vector>

#include "models/applications/application.hpp"

namespace factosim {

/// Tile QR of nt x nt tiles. Each iteration k reduces column k to one tile by eliminations: geqrt makes a
/// tile triangular, and its reflectors update the row (unmqr); tsqrt joins a square tile to a triangular one,
/// ttqrt a triangular one to another; tsmqr and ttmqr update both rows. The tree decides who meets whom:
///
/// - "flat": geqrt of the diagonal tile, then tsqrt of the others from the top down.
/// - "binary": geqrt of every tile, then ttqrt of neighbours, of neighbours among those left, ...
/// - "nodes": flat on the rows of each node in column k, from its first one on, then binary between nodes,
/// the
///   diagonal's first: fewer messages (Dongarra et al., Hierarchical QR, Parallel Computing 39, 2013).
///
/// What geqrt leaves below the diagonal is a handle of its own, as Chameleon's copy of the diagonal tile, so
/// that eliminations and unmqr may run at once. The small T factors of reflectors count as part of them. An
/// elimination runs where the tile lies that it makes zero, and so do its updates; the other tile moves there
/// and on from there. Priorities as LU's: 3 nt - 3k (geqrt of row k), 3 nt - (2k + m) (geqrt, tsqrt, ttqrt
/// of row m), 3 nt - (2k + n) (unmqr of row k), 3 nt - (k + m + n) (other updates).
///
/// Source: Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35(1), 2009; Bouwmeester, Jacquelin, Langou,
/// Robert, Tiled QR factorization algorithms, SC'11.
TaskGraph build_qr(ApplicationParameters const& parameters, TileMap const& map);
/// Where one node has all tiles; "nodes" is "flat" there.
TaskGraph build_qr_on_one_node(ApplicationParameters const& parameters);

/// geqrt, unmqr and, as the tree has them, tsqrt, tsmqr (flat) and ttqrt, ttmqr (binary); "nodes": both
/// pairs.
std::vector<Kernel> qr_kernels(ApplicationParameters const& parameters);

/// 4 n^3 / 3 with n = nt nb.
Flops qr_flops(ApplicationParameters const& parameters);

/// The first is the default.
std::vector<std::string> qr_trees();

}  // namespace factosim
