#include "distributions/block_cyclic.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// The incomplete pattern: b rows of a cells; the last c cells of the last row are empty.
struct Incomplete {
  int a, b, c;
};

Incomplete incomplete_pattern(int nodes) {
  FACTOSIM_EXPECT(nodes >= 1, "no nodes");
  int a = 1;
  while (a * a < nodes) ++a;
  int const b = (nodes + a - 1) / a;
  return {a, b, a * b - nodes};
}

/// Returns the node of a cell of the full pattern.
int node_of(int row, int column, Incomplete pattern) {
  auto const [a, b, c] = pattern;
  bool const in_gap = row % b == b - 1 && column % a >= a - c;
  int const filled_row = in_gap ? row / b : row % b;  // strip row / b takes row `row / b` of the pattern
  return filled_row * a + column % a;
}

}  // namespace

Grid generalised_2dbc_period(int nodes) {
  auto const [a, b, c] = incomplete_pattern(nodes);
  if (c == 0) return {b, a};
  return {b * (b - 1), nodes};
}

TileMap generalised_2dbc(int mt, int nt, int nodes) {
  Incomplete const pattern = incomplete_pattern(nodes);
  Grid const period = generalised_2dbc_period(nodes);
  return tile_map(mt, nt, [&](int m, int n) { return node_of(m % period.p, n % period.q, pattern); });
}

namespace {

[[maybe_unused]] bool is_size(int r, SbcVariant variant) {
  return r >= 2 && (variant == SbcVariant::extended || r % 2 == 0);
}

/// Returns the node of cells (i, j) and (j, i), i != j.
int pair_node(int i, int j) {
  auto const [low, high] = std::minmax(i, j);
  return high * (high - 1) / 2 + low;
}

/// Returns the cyclic distance from d to the column whose node owns the diagonal cell (d, d) in a turn.
///
/// Odd r: the distance is turn + 1; in (r - 1) / 2 turns each pair of rows is met once. Even r: the first r /
/// 2 - 1 turns do the same, but do not meet the pairs r / 2 apart. In the other r / 2 turns every d takes the
/// distances 1 to r / 2, the two halves of the diagonal in orders that are shifted by one turn, since each
/// pair r / 2 apart has one row in each half. After r - 1 turns each pair has been met twice.
int diagonal_distance(int d, int turn, int r) {
  int const half = r / 2;
  if (r % 2 == 1 || turn < half - 1) return turn + 1;
  int const shifted = turn - (half - 1);
  if (d >= half) return shifted + 1;
  return shifted == 0 ? half : shifted;
}

int diagonal_node(int d, int column_block, int r, SbcVariant variant) {
  if (variant == SbcVariant::basic) return r * (r - 1) / 2 + d % (r / 2);
  int const turns = r % 2 == 1 ? (r - 1) / 2 : r - 1;
  return pair_node(d, (d + diagonal_distance(d, column_block % turns, r)) % r);
}

}  // namespace

TileMap symmetric_block_cyclic(int nt, int r, SbcVariant variant) {
  FACTOSIM_EXPECT(is_size(r, variant), "a pattern smaller than 2, or a basic one that is odd");
  return tile_map(nt, nt, [&](int m, int n) {
    bool const diagonal = m % r == n % r;
    return diagonal ? diagonal_node(m % r, std::min(m, n) / r, r, variant) : pair_node(m % r, n % r);
  });
}

int sbc_nodes(int r, SbcVariant variant) {
  FACTOSIM_EXPECT(is_size(r, variant), "a pattern smaller than 2, or a basic one that is odd");
  return variant == SbcVariant::basic ? r * r / 2 : r * (r - 1) / 2;
}

std::optional<int> sbc_size(int nodes, SbcVariant variant) {
  int const step = variant == SbcVariant::basic ? 2 : 1;
  int r = 2;
  while (sbc_nodes(r, variant) < nodes) r += step;
  if (sbc_nodes(r, variant) != nodes) return std::nullopt;
  return r;
}

}  // namespace factosim
