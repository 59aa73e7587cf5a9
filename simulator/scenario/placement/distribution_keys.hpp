#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "distributions/het_grid.hpp"
#include "distributions/one_dimensional.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/value_rules.hpp"
#include "simulator/scenario/placement/distribution.hpp"

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

using ReadMethod = DistributionMethod(JsonReader const&, DistributionContext const&);

/// All that the program knows of one "type" of distribution, in one source file of this folder.
struct DistributionKind {
  char const* name;
  char const* description;  // for lists: one line
  char const* meaning;      // for the reference: one sentence
  std::vector<Key> keys{};
  ReadMethod* read;         // "type" is known, the others follow the rules of `keys`
  char const* source = "";  // of keys that state none
  bool of_whole = false;    // not of a layer or of a generation
};

// ---- keys and readers that several distributions share ----

inline constexpr std::int64_t max_distributed_tiles = 5000;  // in a row

/// An array of positive numbers.
[[nodiscard]] ValueRule positive_numbers(std::string unit);

/// "tie".
[[nodiscard]] Key tie_key();
[[nodiscard]] TieRule read_tie(JsonReader const& json);

/// "p" and "q"; without them the most square grid of all nodes.
[[nodiscard]] std::vector<Key> grid_keys();
[[nodiscard]] Grid read_grid(JsonReader const& json, int nodes);

/// "panel": tiles after which the map repeats; by default the whole matrix.
[[nodiscard]] Key panel_key();
[[nodiscard]] Panel read_panel(JsonReader const& json, int nt);

/// "speeds", in proportion to which the matrix is cut.
[[nodiscard]] Key speeds_key();
[[nodiscard]] GivenSpeeds read_speeds(JsonReader const& json, DistributionContext const& context);
/// Reads the speeds of a partition, which takes a time in proportion to the square of the number of nodes.
[[nodiscard]] GivenSpeeds read_few_speeds(JsonReader const& json, DistributionContext const& context);
/// Reads an array of one positive number per node.
[[nodiscard]] std::vector<double> read_per_node(JsonReader const& json,
                                                std::vector<JsonReader> const& numbers, int nodes);
/// Returns the numbers of one list, or of one list per row of the grid.
[[nodiscard]] std::vector<JsonReader> listed_numbers(JsonReader const& json);

/// "rates" (flop/s of each node on the update) and "transfer_s".
[[nodiscard]] std::vector<Key> cost_keys();
[[nodiscard]] GivenCosts read_costs(JsonReader const& json, DistributionContext const& context);

/// "target": a number of tiles for each node.
[[nodiscard]] Key target_key();
[[nodiscard]] std::vector<std::uint64_t> read_target(JsonReader const& distribution,
                                                     DistributionContext const& context);

/// The keys of a layer's distribution.
[[nodiscard]] ObjectKeys const& layer_table();

/// The keys of "distribution".
[[nodiscard]] ObjectKeys const& distribution_table();

/// Reads a scenario's "distribution"; without one: block-cyclic on the most square grid. Throws InputError.
[[nodiscard]] DistributionDescription read_distribution(std::optional<JsonReader> const& json,
                                                        DistributionContext const& context);
[[nodiscard]] std::vector<std::string> distribution_names();
/// Returns all distributions, with one line about each.
[[nodiscard]] std::vector<DescribedName> described_distributions();

/// Returns the number of nodes of a distribution without a platform: the length of "target", of "cycle_times"
/// (p q with {"random": seed}) or of "speeds". Throws InputError if there is none of them.
[[nodiscard]] int count_nodes(JsonReader const& distribution);

}  // namespace factosim
