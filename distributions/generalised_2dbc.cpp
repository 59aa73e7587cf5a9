#include "distributions/generalised_2dbc.hpp"

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

}  // namespace factosim
