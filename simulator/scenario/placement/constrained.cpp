#include "distributions/constrained.hpp"

#include "distributions/shuffle.hpp"
#include "distributions/square_partition.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

namespace {

/// Changes a map with its details.
using ChangeMap = std::function<void(TileMap&, PartitionDetails&, Factorization, FactorizationCosts const&)>;

/// 1Dx1D-C, and what `change` makes of it.
DistributionMethod read_with_change(JsonReader const& json, DistributionContext const& context,
                                    std::string const& description, ChangeMap const& change) {
  GivenCosts const given = read_costs(json, context);
  GivenSpeeds const speeds = read_few_speeds(json, context);
  TieRule const tie = read_tie(json);
  return {.map = [=](DistributionRequest const& request) -> Distribution {
    std::vector<double> const values = speeds_of_nodes(request, speeds);
    FactorizationCosts const costs = costs_of_nodes(request, given);
    PartitionDetails details = cut_by(values, column_partition(values));
    ConstrainedMap made = constrained(request.nt, request.factorization, details.partition, costs, tie);
    details.sections = std::move(made.sections);
    if (change) change(made.map, details, request.factorization, costs);
    return {.map = std::move(made.map), .description = description, .partition = std::move(details)};
  }};
}

DistributionMethod read_constrained(JsonReader const& json, DistributionContext const& context) {
  return read_with_change(json, context, "1Dx1D-C", {});
}

Fields<ShuffleOptions> shuffle_fields() {
  using O = ShuffleOptions;
  return {field<&O::threshold>("threshold_s", {rule::positive("s")}, "maximum difference of balanced loads",
                               {.default_text = "6.3 updates of a tile on the slowest node"}),
          field<&O::smaller_tiles>("smaller_tiles",
                                   "if the right-bottom-most tile is too large to move, try the next ones"),
          field<&O::rounds>("rounds", {rule::integer(0, 1000, "shuffles")},
                            "shuffles: the first over the section with the most work, each "
                            "further one at the maximum difference of cumulative loads"),
          field<&O::all_iterations>(
              "all_iterations",
              "further shuffles balance all iterations, not only those up to that maximum; the "
              "paper leaves it open")};
}

DistributionMethod read_shuffled(JsonReader const& json, DistributionContext const& context) {
  ShuffleOptions options;
  read_fields(json, shuffle_fields(), options);
  return read_with_change(json, context, "1Dx1D-C+S",
                          [options](TileMap& map, PartitionDetails& details, Factorization factorization,
                                    FactorizationCosts const& costs) {
                            details.moves = shuffle(map, factorization, costs, details.sections, options);
                          });
}

std::vector<Key> constrained_keys() { return joined({speeds_key(), tie_key()}, cost_keys()); }

}  // namespace

DistributionKind constrained_kind() {
  return {.name = "1d1d-c",
          .description = "1d1d on fewer nodes towards the end, where the critical path limits",
          .meaning = "1Dx1D-C: few nodes at the end of the factorization, more in each earlier section.",
          .keys = constrained_keys(),
          .read = read_constrained,
          .source = "ICPADS 2020"};
}

DistributionKind shuffled_kind() {
  return {.name = "1d1d-c+s",
          .description = "1d1d-c, with tiles moved between sections to balance each",
          .meaning = "1Dx1D-C+S: moves tiles afterwards until the largest section is balanced.",
          .keys = joined(constrained_keys(), keys_of(shuffle_fields())),
          .read = read_shuffled,
          .source = "ICPADS 2020"};
}

}  // namespace factosim
