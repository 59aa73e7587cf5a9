#pragma once

#include "distributions/factorization_work.hpp"
#include "distributions/map_neighbours.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

struct SelectedMap {
  TileMap map;
  double makespan = 0;  // of the list schedule, or estimated if none was made; seconds
  int schedules = 0;    // list schedules made
};

/// 1Dx1D-L: the map with the shortest list schedule among members of the family around 1Dx1D-C+S and regular maps.
///  1. Members with up to about 20 numbers of the fastest nodes, each with several numbers of columns, are ranked by
///     `schedule_estimate`; the first 20 also with other starts of their sections and with shuffles.
///  2. The regular maps and the best members are scheduled (`list_schedule`).
///  3. The best is changed step by step: parameters of the best member, then also tiles of the best map, at random
///     with a fixed seed, as by the search with simulations.
/// Steps 2 and 3 schedule four million tasks, and at most 200 maps; from nt = 230 (LU) or 290 (Cholesky) on there are
/// none, and the estimate decides. All nodes must have workers for all kinds of tasks.
[[nodiscard]] SelectedMap selected_map(int nt, Factorization factorization, FactorizationCosts const& costs);

}  // namespace factosim
