#include "distributions/kalinov_lastovetsky.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include "distributions/one_dimensional.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Returns the speeds of the nodes of a grid column, from the top.
std::vector<double> column_speeds(Grid grid, int column, std::span<double const> speeds) {
  std::vector<double> of_column;
  of_column.reserve(static_cast<std::size_t>(grid.p));
  for (int row = 0; row < grid.p; ++row) of_column.push_back(speeds[grid.place(row, column)]);
  return of_column;
}

}  // namespace

TileMap kalinov_lastovetsky(int mt, int nt, Grid grid, std::span<double const> speeds) {
  return kalinov_lastovetsky(mt, nt, grid, speeds, {.rows = mt, .columns = nt});
}

TileMap kalinov_lastovetsky(int mt, int nt, Grid grid, std::span<double const> speeds, Panel panel) {
  FACTOSIM_EXPECT(grid.p >= 1 && grid.q >= 1 && panel.rows >= 1 && panel.columns >= 1,
                  "an empty grid or panel");
  FACTOSIM_EXPECT(static_cast<std::size_t>(grid.p) * static_cast<std::size_t>(grid.q) <= speeds.size(),
                  "more places in the grid than nodes");
  std::vector<double> totals;                         // [q]
  std::vector<std::vector<std::uint32_t>> grid_rows;  // [q][panel.rows], empty if the column has speed 0
  for (int column = 0; column < grid.q; ++column) {
    std::vector<double> const of_column = column_speeds(grid, column, speeds);
    totals.push_back(std::accumulate(of_column.begin(), of_column.end(), 0.0));
    grid_rows.push_back(totals.back() > 0 ? one_dimensional(panel.rows, of_column)
                                          : std::vector<std::uint32_t>{});
  }
  std::vector<std::uint32_t> const grid_column = one_dimensional(panel.columns, totals);
  return tile_map(mt, nt, [&](int m, int n) {
    std::uint32_t const column = grid_column[static_cast<std::size_t>(n % panel.columns)];
    std::uint32_t const row = grid_rows[column][static_cast<std::size_t>(m % panel.rows)];
    return row * static_cast<std::uint32_t>(grid.q) + column;
  });
}

}  // namespace factosim
