#pragma once

#include <optional>
#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim {

/// The geometry whose lines are the nodes of a triangle block distribution.
struct TrianglePlane {
  bool projective = false;  // or affine
  int order = 0;            // a prime

  /// q^2 + q + 1 points and as many lines of q + 1 points (projective); q^2 points and q^2 + q lines of q points (affine).
  [[nodiscard]] int points() const { return projective ? order * order + order + 1 : order * order; }
  [[nodiscard]] int lines() const { return order * order + order + (projective ? 1 : 0); }
};

/// Returns the plane of prime order with that many lines, if there is one.
[[nodiscard]] std::optional<TrianglePlane> plane_of(int lines);

/// Returns the points of each line, ascending. Any two points are on one line, and one only.
[[nodiscard]] std::vector<std::vector<int>> lines_of(TrianglePlane plane);

/// Triangle blocks, for computations on the lower triangle (Cholesky, SYRK): a pattern of v x v cells, one row and one
/// column a point. Node L owns the cells (i, j) and (j, i) of all pairs of points i != j on line L, so that it needs only
/// the rows of its points, and a row is needed by the lines through one point: q + 1 nodes, about sqrt(P), where
/// symmetric block-cyclic has sqrt(2 P) and block-cyclic 2 sqrt(P). The cell (d, d) belongs to the lines through d in
/// turn, pattern by pattern of the lower triangle, row by row. The upper triangle mirrors the lower one.
///
/// Sources: Beaumont, Eyraud-Dubois, Langou, Verite, SPAA 2022 (TBS, one memory); Al Daas, Ballard, Grigori, Kumar,
/// Rouse, SPAA 2023 (SYRK on P = c (c + 1) nodes, c prime: the lines of the affine plane).
[[nodiscard]] TileMap triangle_blocks(int nt, TrianglePlane plane);

}  // namespace factosim
