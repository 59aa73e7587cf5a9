#include "distributions/block_cyclic.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

namespace {

class BlockCyclic : public DistributionMethod {
 public:
  explicit BlockCyclic(Grid grid) : grid_(grid) {}

  [[nodiscard]] Distribution make(DistributionRequest const& request) const override {
    return {.map = block_cyclic(request.nt, request.nt, grid_),
            .description = fmt::format("block-cyclic {} x {}", grid_.p, grid_.q)};
  }

 private:
  Grid grid_;
};

}  // namespace

DistributionKind block_cyclic_kind() {
  return {.name = "block-cyclic",
          .description = "p x q grid of nodes, repeated",
          .meaning = "Tile (m, n) on node (m mod p) q + (n mod q).",
          .keys = grid_keys(),
          .read = [](JsonReader const& json,
                     DistributionContext const& context) -> std::unique_ptr<DistributionMethod> {
            return std::make_unique<BlockCyclic>(read_grid(json, context.nodes));
          }};
}

}  // namespace factosim
