#include "distributions/one_by_one.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr double same_border = 1e-9;

/// Returns the distinct borders in ascending order, restricted to the open interval (0, 1).
std::vector<double> distinct(std::vector<double> borders) {
  std::sort(borders.begin(), borders.end());
  std::vector<double> out;
  for (double const border : borders)
    if (out.empty() || border > out.back() + same_border) out.push_back(border);
  return out;
}

std::vector<double> steps(std::vector<double> const& borders) {
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) out.push_back(borders[i + 1] - borders[i]);
  return out;
}

std::size_t index_of(std::vector<double> const& borders, double border) {
  auto const place = std::lower_bound(borders.begin(), borders.end(), border - same_border);
  FACTOSIM_ALWAYS(place != borders.end(), "a border of the partition is lost");
  return static_cast<std::size_t>(place - borders.begin());
}

}  // namespace

VirtualGrid virtual_grid(SquarePartition const& partition) {
  std::vector<double> across, down;
  for (auto const& r : partition.rectangles) {
    down.insert(down.end(), {r.left, r.left + r.width});
    across.insert(across.end(), {r.top, r.top + r.height});
  }
  across = distinct(std::move(across));
  down = distinct(std::move(down));
  VirtualGrid grid{.heights = steps(across), .widths = steps(down), .node = {}};
  grid.node.resize(grid.heights.size() * grid.widths.size());
  for (std::size_t n = 0; n < partition.rectangles.size(); ++n) {
    auto const& r = partition.rectangles[n];
    for (std::size_t row = index_of(across, r.top); row < index_of(across, r.top + r.height); ++row)
      for (std::size_t column = index_of(down, r.left); column < index_of(down, r.left + r.width); ++column)
        grid.node[row * grid.widths.size() + column] = NodeId{n};
  }
  return grid;
}

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
