#include "simulator/search/search_moves.hpp"

#include <algorithm>

namespace factosim {

namespace {

NodeId& owner(TileMap& map, bool by_rows, int line, int i) {
  int const m = by_rows ? line : i;
  int const n = by_rows ? i : line;
  return map
      .owner[static_cast<std::size_t>(m) * static_cast<std::size_t>(map.nt) + static_cast<std::size_t>(n)];
}

/// Returns a length in 1..nt; all powers of two are equally likely.
int random_length(int nt, SearchRandom& random) {
  int powers = 1;
  while ((1 << powers) < nt) ++powers;
  int const minimum = 1 << random.below(powers + 1);
  return std::min(nt, minimum + random.below(minimum));
}

/// Gives a segment of `lines` neighbouring rows or columns the owners of another place.
void copy_piece(TileMap& map, int lines, int length, SearchRandom& random) {
  bool const by_rows = random.below(2) == 0;
  int const to = random.below(map.nt - lines + 1);
  int const from = random.below(map.nt - lines + 1);
  int const first = random.below(map.nt - length + 1);
  TileMap old = map;
  for (int line = 0; line < lines; ++line)
    for (int i = first; i < first + length; ++i)
      owner(map, by_rows, to + line, i) = owner(old, by_rows, from + line, i);
}

void copy_cross(TileMap& map, SearchRandom& random) {
  int const to = random.below(map.nt);
  int const from = random.below(map.nt);
  for (bool const by_rows : {true, false})
    for (int i = 0; i < map.nt; ++i) owner(map, by_rows, to, i) = owner(map, by_rows, from, i);
}

void move_tile(TileMap& map, int nodes, SearchRandom& random) {
  int const m = random.below(map.nt);
  int const n = random.below(map.nt);
  owner(map, true, m, n) = NodeId{static_cast<std::uint32_t>(random.below(nodes))};
}

}  // namespace

void move_randomly(TileMap& map, int nodes, SearchRandom& random) {
  int const kind = random.below(4);
  if (kind == 0) return move_tile(map, nodes, random);
  if (kind == 1) return copy_cross(map, random);
  int const length = random_length(map.nt, random);
  if (kind == 2) return copy_piece(map, 1, length, random);
  int const side = std::max(1, length / 2);
  copy_piece(map, side, side, random);
}

}  // namespace factosim
