#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "simulator/scenario/placement/distribution.hpp"

namespace factosim {

/// Returns `partition`, `sections`, `grid`, the numbers of `phases_json` and `moves` as `distribute --json`
/// prints them, as far as they exist. `grid`: `arrangement` [p][q] (cycle-times) and `nodes` [p][q], `r`,
/// `c`, `objective` (tiles in a unit of time), `mean_workload`, `iterations`, `history`, `converged`,
/// `best_seen`; `panel_rows` and `panel_columns`: the row of the grid of each row of tiles of the panel, and
/// the column of each column. `layers`: of each its `nodes`, its `share` of the iterations, its `distribution`, and these
/// numbers of its map, with nodes counted in the layer; `layer_of_iteration` and `layer_of_panel` [nt], `consecutive`.
[[nodiscard]] nlohmann::ordered_json distribution_json(Distribution const& distribution);

/// Returns `redistributed_tiles` and `lp`, as far as they exist.
[[nodiscard]] nlohmann::ordered_json phases_json(Distribution const& distribution);

/// Returns all steps of the heuristic for a grid, each with `arrangement`, `nodes`, `r`, `c`, `workload` [p][q] (B of
/// the paper, r_i t_ij c_j), `optimal_times` [p][q] (T^opt, 1 / (r_i c_j)), `objective` and `mean_workload`.
[[nodiscard]] nlohmann::ordered_json grid_steps_json(ArrangedGrid const& grid);
/// Returns the same as text.
[[nodiscard]] std::string format_grid_steps(ArrangedGrid const& grid);

/// Returns the shares of the grid's rows and columns as two lines of text.
[[nodiscard]] std::string format_grid(GridDetails const& details);

}  // namespace factosim
