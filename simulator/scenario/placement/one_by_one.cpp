#include "distributions/constrained.hpp"

#include "distributions/square_partition.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

DistributionKind one_by_one_kind() {
  return {.name = "1d1d",
          .description = "column partition by speed, in one dimension each way (1D-1D)",
          .meaning =
              "1Dx1D: the unit square is cut by speeds and its borders are extended; Algorithm 1 distributes "
              "rows and columns.",
          .keys = {speeds_key(), tie_key(),
                   stated_key("partition", {rule::word({"columns", "nagamochi-abe"})},
                              "of the unit square: into columns, or Nagamochi and Abe's",
                              {.default_value = "columns"})},
          .read = [](JsonReader const& json, DistributionContext const& context) -> DistributionMethod {
            GivenSpeeds const speeds = read_few_speeds(json, context);
            auto const partition = json.find("partition");
            bool const by_nagamochi_abe =
                partition && partition->one_of() == "nagamochi-abe";  // else in columns
            TieRule const tie = read_tie(json);
            return {.map = [=](DistributionRequest const& request) -> Distribution {
              std::vector<double> const values = speeds_of_nodes(request, speeds);
              PartitionDetails details =
                  cut_by(values, by_nagamochi_abe ? nagamochi_abe(values) : column_partition(values));
              TileMap map = one_by_one(request.nt, request.nt, details.partition, tie);
              return {.map = std::move(map),
                      .description = by_nagamochi_abe ? "1Dx1D of Nagamochi and Abe" : "1Dx1D",
                      .partition = std::move(details)};
            }};
          },
          .source = "ICPADS 2020"};
}

}  // namespace factosim
