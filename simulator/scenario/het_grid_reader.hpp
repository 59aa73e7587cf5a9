#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "simulator/scenario/distribution.hpp"

namespace factosim {

/// Reads the distribution "het-grid": "p", "q", "cycle_times", "method", "panel", "order". Throws InputError.
[[nodiscard]] Distribution from_het_grid(JsonReader const& json, DistributionRequest const& request);

/// How many nodes "cycle_times" speaks of: p q or more numbers, in one list or in a list for each row of the
/// grid, or {"random": seed} for p q. Nothing without the key.
[[nodiscard]] std::optional<int> cycle_time_count(JsonReader const& distribution);

/// `arrangement` [p][q] (cycle-times) and `nodes` [p][q], `r`, `c`, `objective` (tiles in a unit of time),
/// `mean_workload`, `iterations`, `history`, `converged`, `best_seen`; `panel_rows` and `panel_columns`:
/// which row of the grid has each row of tiles of the panel, which column each column.
[[nodiscard]] nlohmann::ordered_json grid_json(GridDistribution const& distribution);

/// Two lines of words.
[[nodiscard]] std::string format_grid(GridDistribution const& distribution);

}  // namespace factosim
