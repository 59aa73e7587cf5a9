#include "distributions/block_cyclic.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

namespace {

DistributionMethod read_block_cyclic(JsonReader const& json, DistributionContext const& context) {
  Grid const grid = read_grid(json, context.nodes);
  return {.map = [grid](DistributionRequest const& request) -> Distribution {
    return {.map = block_cyclic(request.nt, request.nt, grid),
            .description = fmt::format("block-cyclic {} x {}", grid.p, grid.q)};
  }};
}

}  // namespace

DistributionKind block_cyclic_kind() {
  return {.name = "block-cyclic",
          .description = "p x q grid of nodes, repeated",
          .meaning = "Tile (m, n) on node (m mod p) q + (n mod q).",
          .keys = grid_keys(),
          .read = read_block_cyclic};
}

}  // namespace factosim
