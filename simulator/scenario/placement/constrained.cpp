#include "distributions/constrained.hpp"

#include "distributions/shuffle.hpp"
#include "distributions/square_partition.hpp"
#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

namespace {

/// 1Dx1D-C.
class ConstrainedOneByOne : public DistributionMethod {
 public:
  ConstrainedOneByOne(JsonReader const& json, DistributionContext const& context)
      : costs_(read_costs(json, context)), speeds_(read_few_speeds(json, context)), tie_(read_tie(json)) {}

  [[nodiscard]] Distribution make(DistributionRequest const& request) const override {
    std::vector<double> const values = speeds_of_nodes(request, speeds_);
    FactorizationCosts const costs = costs_of_nodes(request, costs_);
    PartitionDetails details = cut_by(values, column_partition(values));
    ConstrainedMap made = constrained(request.nt, request.factorization, details.partition, costs, tie_);
    details.sections = std::move(made.sections);
    std::string const description = change(made.map, details, request.factorization, costs);
    return {.map = std::move(made.map), .description = description, .details = std::move(details)};
  }

 private:
  /// Changes the map. Returns the name of what it becomes.
  virtual std::string change(TileMap& /*map*/, PartitionDetails& /*details*/, Factorization /*factorization*/,
                             FactorizationCosts const& /*costs*/) const {
    return "1Dx1D-C";
  }

  GivenCosts costs_;
  GivenSpeeds speeds_;
  TieRule tie_;
};

/// 1Dx1D-C+S.
class ShuffledOneByOne : public ConstrainedOneByOne {
 public:
  ShuffledOneByOne(JsonReader const& json, DistributionContext const& context)
      : ConstrainedOneByOne(json, context) {
    if (auto const threshold = json.find("threshold_s")) options_.threshold = threshold->quantity();
    if (auto const smaller = json.find("smaller_tiles")) options_.smaller_tiles = smaller->boolean();
    if (auto const rounds = json.find("rounds")) options_.rounds = static_cast<int>(rounds->integer());
  }

 private:
  std::string change(TileMap& map, PartitionDetails& details, Factorization factorization,
                     FactorizationCosts const& costs) const override {
    details.moves = shuffle(map, factorization, costs, details.sections, options_);
    return "1Dx1D-C+S";
  }

  ShuffleOptions options_;
};

std::vector<Key> constrained_keys() { return joined({speeds_key(), tie_key()}, cost_keys()); }

std::vector<Key> shuffled_keys() {
  ShuffleOptions const defaults;
  return joined(
      constrained_keys(),
      {{.name = "threshold_s",
        .value = {rule::positive("s")},
        .meaning = "maximum difference of balanced loads",
        .default_text = "6.3 updates of a tile on the slowest node"},
       {.name = "smaller_tiles",
        .value = {rule::boolean()},
        .meaning = "if the right-bottom-most tile is too large to move, try the next ones",
        .default_value = defaults.smaller_tiles},
       {.name = "rounds",
        .value = {rule::integer(0, 1000, "shuffles")},
        .meaning = "shuffles: the first over the section with the most work, each further one at the maximum "
                   "difference of cumulative loads",
        .default_value = defaults.rounds}});
}

}  // namespace

DistributionKind constrained_kind() {
  return {.name = "1d1d-c",
          .description = "1d1d on fewer nodes towards the end, where the critical path limits",
          .meaning = "1Dx1D-C: few nodes at the end of the factorization, more in each earlier section.",
          .keys = constrained_keys(),
          .read = read_as<ConstrainedOneByOne>,
          .source = "ICPADS 2020"};
}

DistributionKind shuffled_kind() {
  return {.name = "1d1d-c+s",
          .description = "1d1d-c, with tiles moved between sections to balance each",
          .meaning = "1Dx1D-C+S: moves tiles afterwards until the largest section is balanced.",
          .keys = shuffled_keys(),
          .read = read_as<ShuffledOneByOne>,
          .source = "ICPADS 2020"};
}

}  // namespace factosim
