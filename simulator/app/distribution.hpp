#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "distributions/shuffle.hpp"
#include "distributions/square_partition.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/core/quantity.hpp"
#include "simulator/core/tile_map.hpp"

namespace factosim {

/// Who owns which tile, and how that came about.
struct Distribution {
  TileMap map;
  std::string words;  // "block-cyclic 2 x 11"
  std::optional<SquarePartition> partition{};
  double partition_lower_bound = 0;
  std::vector<Section> sections{};
  std::vector<TileMove> moves{};
};

/// What a distribution is made for.
struct DistributionRequest {
  int nt = 0;
  int nodes = 0;
  Factorization factorization = Factorization::lu;
  Flops update_flops;  // of one update task
  /// What the factorization costs the nodes; empty where nothing is known of them.
  std::function<FactorizationCosts()> costs;
};

/// Reads a scenario's "distribution"; without one: block-cyclic on the most square grid. Throws InputError.
[[nodiscard]] Distribution read_distribution(std::optional<JsonReader> const& json,
                                             DistributionRequest const& request);
[[nodiscard]] std::vector<std::string> distribution_names();

/// `partition`, `sections` and `moves` as `distribute --json` prints them, where they exist.
[[nodiscard]] nlohmann::ordered_json distribution_json(Distribution const& distribution);

}  // namespace factosim
