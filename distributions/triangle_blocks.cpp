#include "distributions/triangle_blocks.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// `n` is 2 or more.
bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

/// Point q x + y of the affine plane is (x, y); q^2 + s is the point at infinity of slope s, q^2 + q that of the
/// vertical lines.
std::vector<std::vector<int>> affine_lines(int q) {
  std::vector<std::vector<int>> out;
  for (int slope = 0; slope < q; ++slope)
    for (int start = 0; start < q; ++start) {
      auto& line = out.emplace_back();
      for (int x = 0; x < q; ++x) line.push_back(q * x + (slope * x + start) % q);
    }
  for (int x = 0; x < q; ++x) {
    auto& line = out.emplace_back();
    for (int y = 0; y < q; ++y) line.push_back(q * x + y);
  }
  return out;
}

}  // namespace

std::optional<TrianglePlane> plane_of(int lines) {
  for (int q = 2; q * q + q <= lines; ++q)
    for (bool const projective : {false, true})
      if (TrianglePlane const plane{projective, q}; plane.lines() == lines && is_prime(q)) return plane;
  return std::nullopt;
}

std::vector<std::vector<int>> lines_of(TrianglePlane plane) {
  FACTOSIM_EXPECT(is_prime(plane.order), "a plane of an order that is no prime");
  int const q = plane.order;
  std::vector<std::vector<int>> out = affine_lines(q);
  if (!plane.projective) return out;
  for (int i = 0; i < q * q + q; ++i) out[static_cast<std::size_t>(i)].push_back(q * q + i / q);
  auto& infinite = out.emplace_back();
  for (int slope = 0; slope <= q; ++slope) infinite.push_back(q * q + slope);
  return out;
}

TileMap triangle_blocks(int nt, TrianglePlane plane) {
  auto const lines = lines_of(plane);
  auto const v = static_cast<std::size_t>(plane.points());
  std::vector<int> pair_owner(v * v, -1);
  std::vector<std::vector<int>> through(v);  // the lines through each point
  for (int node = 0; node < plane.lines(); ++node)
    for (int const i : lines[static_cast<std::size_t>(node)]) {
      through[static_cast<std::size_t>(i)].push_back(node);
      for (int const j : lines[static_cast<std::size_t>(node)])
        pair_owner[static_cast<std::size_t>(i) * v + static_cast<std::size_t>(j)] = node;
    }
  return tile_map(nt, nt, [&](int m, int n) {
    auto const i = static_cast<std::size_t>(m) % v, j = static_cast<std::size_t>(n) % v;
    if (i != j) return pair_owner[i * v + j];
    // Lines through a point have different slopes: a slope a turn, one turn for each pattern.
    auto const row = static_cast<std::size_t>(std::max(m, n)) / v,
               column = static_cast<std::size_t>(std::min(m, n)) / v;
    std::size_t const turn = row * (row + 1) / 2 + column;
    return through[i][(turn + i) % through[i].size()];
  });
}

}  // namespace factosim
