#include "distributions/het_grid.hpp"

#include <numeric>

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

namespace {

/// Returns counts[i] copies of each i, in order.
std::vector<std::uint32_t> consecutive(std::span<std::uint32_t const> counts) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < counts.size(); ++i) out.insert(out.end(), counts[i], i);
  return out;
}

/// Returns counts[i] copies of each i, from the last to the first, each time the one that would finish first.
std::vector<std::uint32_t> spread(std::span<std::uint32_t const> counts, std::vector<double> speeds) {
  std::vector<std::uint32_t> out = consecutive(counts);
  for (std::size_t i = 0; i < speeds.size(); ++i)
    if (counts[i] == 0) speeds[i] = 0;
  OneDimensional algorithm(speeds);
  for (std::size_t k = out.size(); k-- > 0;) {
    out[k] = algorithm.next();
    if (algorithm.counts()[out[k]] < counts[out[k]] || k == 0) continue;
    speeds[out[k]] = 0;  // all its copies are placed
    algorithm.change_speeds(speeds);
  }
  return out;
}

}  // namespace

GridPanel grid_panel(ArrangedGrid const& grid, Panel panel, PanelOrder order) {
  FACTOSIM_EXPECT(panel.rows >= 1 && panel.columns >= 1, "an empty panel");
  std::vector<std::uint32_t> const rows = proportional_counts(panel.rows, grid.shares.r);
  std::vector<std::uint32_t> const columns = proportional_counts(panel.columns, grid.shares.c);
  if (order == PanelOrder::consecutive) return {consecutive(rows), consecutive(columns)};
  std::vector<double> row_speeds(rows.size(), 0), column_speeds(columns.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) {
      double const time = grid.times[i * columns.size() + j];
      row_speeds[i] += columns[j] / time;
      column_speeds[j] += rows[i] / time;
    }
  return {spread(rows, std::move(row_speeds)), spread(columns, std::move(column_speeds))};
}

TileMap het_grid(int mt, int nt, ArrangedGrid const& grid, GridPanel const& panel) {
  FACTOSIM_EXPECT(!panel.rows.empty() && !panel.columns.empty(), "an empty panel");
  return tile_map(mt, nt, [&](int m, int n) {
    std::uint32_t const i = panel.rows[static_cast<std::size_t>(m) % panel.rows.size()];
    std::uint32_t const j = panel.columns[static_cast<std::size_t>(n) % panel.columns.size()];
    return grid.nodes[i * static_cast<std::uint32_t>(grid.grid.q) + j];
  });
}

}  // namespace factosim
