#include "distributions/block_cyclic.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

DistributionKind block_cyclic_kind() {
  return {.name = "block-cyclic",
          .description = "p x q grid of nodes, repeated",
          .meaning = "Tile (m, n) on node (m mod p) q + (n mod q).",
          .keys = grid_keys(),
          .read = [](JsonReader const& json, DistributionContext const& context) -> DistributionMethod {
            Grid const grid = read_grid(json, context.nodes);
            return {.map = [grid](DistributionRequest const& request) -> Distribution {
              return {.map = block_cyclic(request.nt, request.nt, grid),
                      .description = fmt::format("block-cyclic {} x {}", grid.p, grid.q)};
            }};
          }};
}

}  // namespace factosim
