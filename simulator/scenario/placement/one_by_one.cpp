#include "distributions/one_by_one.hpp"

#include "distributions/square_partition.hpp"
#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

namespace {

class OneByOne : public DistributionMethod {
 public:
  OneByOne(JsonReader const& json, DistributionContext const& context)
      : speeds_(read_few_speeds(json, context)) {
    auto const partition = json.find("partition");
    nagamochi_abe_ = partition && partition->one_of() == "nagamochi-abe";
    tie_ = read_tie(json);
  }

  [[nodiscard]] Distribution make(DistributionRequest const& request) const override {
    std::vector<double> const values = speeds_of_nodes(request, speeds_);
    PartitionDetails details =
        cut_by(values, nagamochi_abe_ ? nagamochi_abe(values) : column_partition(values));
    TileMap map = one_by_one(request.nt, request.nt, details.partition, tie_);
    return {.map = std::move(map),
            .description = nagamochi_abe_ ? "1Dx1D of Nagamochi and Abe" : "1Dx1D",
            .details = std::move(details)};
  }

 private:
  GivenSpeeds speeds_;
  bool nagamochi_abe_ = false;  // partition of Nagamochi and Abe instead of one of columns
  TieRule tie_ = TieRule::highest;
};

}  // namespace

DistributionKind one_by_one_kind() {
  return {.name = "1d1d",
          .description = "column partition by speed, in one dimension each way (1D-1D)",
          .meaning =
              "1Dx1D: the unit square is cut by speeds and its borders are extended; Algorithm 1 distributes "
              "rows "
              "and columns.",
          .keys = {speeds_key(),
                   tie_key(),
                   {.name = "partition",
                    .value = {rule::word({"columns", "nagamochi-abe"})},
                    .meaning = "of the unit square: into columns, or Nagamochi and Abe's",
                    .default_value = "columns"}},
          .read = read_as<OneByOne>,
          .source = "ICPADS 2020"};
}

}  // namespace factosim
