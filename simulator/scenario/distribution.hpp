#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "distributions/het_grid.hpp"
#include "distributions/multiphase_lp.hpp"
#include "distributions/one_dimensional.hpp"
#include "distributions/shuffle.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/quantity.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// A heterogeneous grid and its panel.
struct GridDistribution {
  ArrangedGrid grid;
  GridPanel panel;
};

/// Who owns which tile, and how that came about.
struct Distribution {
  TileMap map;
  std::string description;  // "block-cyclic 2 x 11"
  std::optional<SquarePartition> partition{};
  double partition_lower_bound = 0;
  std::vector<Section> sections{};
  std::vector<TileMove> moves{};
  std::optional<GridDistribution> grid{};  // nodes arranged by their speeds
  std::optional<TileMap> generation{};     // who generates each tile, where that is not who owns it then
  std::optional<std::uint64_t> redistributed{};  // tiles that differ between two maps
  std::optional<PhaseLoads> loads{};             // what the linear program of the phases gave

  [[nodiscard]] TileMap const& generation_map() const { return generation ? *generation : map; }
};

/// What a distribution is made for.
struct DistributionRequest {
  int nt = 0;
  int nodes = 0;
  Factorization factorization = Factorization::lu;
  Flops update_flops;       // of one update task
  bool is_product = false;  // no factorization: every iteration updates all tiles
  /// Tasks of the phases of an application that generates its tiles, possibly elsewhere; null: it does not.
  PhaseSteps (*phase_steps)(int nt) = nullptr;
  /// What the application's kernels cost the groups of workers; empty where nothing is known of them.
  std::function<PhaseGroups()> phase_groups{};
  /// What the factorization costs the nodes; empty where nothing is known of them.
  std::function<FactorizationCosts()> costs;
};

/// Reads a scenario's "distribution"; without one: block-cyclic on the most square grid. Throws InputError.
[[nodiscard]] Distribution read_distribution(std::optional<JsonReader> const& json,
                                             DistributionRequest const& request);
[[nodiscard]] std::vector<std::string> distribution_names();
/// The key "tie".
[[nodiscard]] TieRule read_tie(JsonReader const& json);

/// `partition`, `sections`, `grid` and `moves` as `distribute --json` prints them, where they exist.
[[nodiscard]] nlohmann::ordered_json distribution_json(Distribution const& distribution);

}  // namespace factosim
