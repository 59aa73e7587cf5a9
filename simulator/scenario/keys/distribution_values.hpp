#pragma once

#include <cstdint>
#include <vector>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/scenario/placement/distribution_description.hpp"

namespace factosim {

/// The facts that decide which distributions are possible.
struct DistributionContext {
  int nt = 0;
  int nodes = 0;
  bool is_product = false;      // every iteration updates all tiles
  bool has_generation = false;  // the application generates its tiles, maybe on other nodes
  bool has_timings = false;     // the speeds of the nodes follow from their kernels' timings
  bool may_have_layers = false;
  std::vector<std::uint32_t> node_types{};  // [nodes]; empty: unknown
};

/// Reads "tie".
[[nodiscard]] TieRule read_tie(JsonReader const& json);
/// Reads "p" and "q"; without them the most square grid of all nodes.
[[nodiscard]] Grid read_grid(JsonReader const& json, int nodes);
/// Reads "panel": tiles after which the map repeats; by default the whole matrix.
[[nodiscard]] Panel read_panel(JsonReader const& json, int nt);
/// Reads an array of one positive number per node.
[[nodiscard]] std::vector<double> read_per_node(JsonReader const& json,
                                                std::vector<JsonReader> const& numbers, int nodes);
/// Reads "speeds", in proportion to which the matrix is cut.
[[nodiscard]] GivenSpeeds read_speeds(JsonReader const& json, DistributionContext const& context);
/// Reads the speeds of a partition, which takes a time in proportion to the square of the number of nodes.
[[nodiscard]] GivenSpeeds read_few_speeds(JsonReader const& json, DistributionContext const& context);
/// Reads "rates" (flop/s of each node on the update) and "transfer_s".
[[nodiscard]] GivenCosts read_costs(JsonReader const& json, DistributionContext const& context);
/// Reads a number of tiles for each node.
[[nodiscard]] std::vector<std::uint64_t> read_target(JsonReader const& json, int nt, int nodes);
/// Reads a map as [nt][nt] node numbers.
[[nodiscard]] TileMap read_owners(JsonReader const& json, int nt, int nodes);

}  // namespace factosim
