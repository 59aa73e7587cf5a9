#include "distributions/block_cyclic.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

DistributionKind generalised_2dbc_kind() {
  return {
      .name = "g-2dbc",
      .description = "generalised 2D block-cyclic, for any number of nodes",
      .meaning =
          "Block-cyclic generalised to any number of equal nodes: a row plus a column has about 2√P nodes.",
      .read = [](JsonReader const& /*json*/, DistributionContext const& /*context*/) -> DistributionMethod {
        return {.map = [](DistributionRequest const& request) -> Distribution {
          return {.map = generalised_2dbc(request.nt, request.nt, request.nodes),
                  .description = fmt::format("generalised block-cyclic of {} nodes", request.nodes)};
        }};
      }};
}

}  // namespace factosim
