#include "distributions/one_by_one.hpp"

#include "distributions/virtual_grid.hpp"

namespace factosim {

TileMap one_by_one(int mt, int nt, SquarePartition const& partition, TieRule tie) {
  VirtualGrid const grid = virtual_grid(partition);
  auto const row_of = one_dimensional(mt, grid.heights, tie);
  auto const column_of = one_dimensional(nt, grid.widths, tie);
  TileMap map{.mt = mt, .nt = nt, .owner = {}};
  map.owner.reserve(row_of.size() * column_of.size());
  for (std::uint32_t const row : row_of)
    for (std::uint32_t const column : column_of) map.owner.push_back(grid.at(row, column));
  return map;
}

}  // namespace factosim
