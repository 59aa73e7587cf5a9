#include "distributions/triangle_blocks.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

DistributionKind triangle_blocks_kind() {
  return {.name = "triangle-blocks",
          .description =
              "lines of a plane: less communication of Cholesky and SYRK than sbc, for other special numbers "
              "of nodes",
          .meaning =
              "Triangle blocks, for Cholesky and SYRK on q(q + 1) or q(q + 1) + 1 nodes, q prime: nodes are "
              "the lines of a plane, rows its points.",
          .read = [](JsonReader const& json, DistributionContext const& context) -> DistributionMethod {
            auto const plane = plane_of(context.nodes);
            if (!plane)
              json.fail(fmt::format(
                  "does not exist for {} nodes (it needs q (q + 1) or q (q + 1) + 1 with a prime q: 6, 7, "
                  "12, 13, 30, 31, 56, 57, ...). Use another number of nodes, or \"sbc\" or \"g-2dbc\"",
                  context.nodes));
            return {.map = [plane = *plane](DistributionRequest const& request) -> Distribution {
              return {.map = triangle_blocks(request.nt, plane),
                      .description = fmt::format("triangle blocks, {} plane of order {}",
                                                 plane.projective ? "projective" : "affine", plane.order)};
            }};
          },
          .source = "SPAA 2022, SPAA 2023"};
}

}  // namespace factosim
