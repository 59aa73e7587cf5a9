#include "distributions/redistribution.hpp"

#include <fmt/format.h>

#include <utility>

#include "platforms/platform_limits.hpp"
#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

namespace {

/// Reads a map as [nt][nt] node numbers.
TileMap read_owners(JsonReader const& json, int nt, int nodes) {
  TileMap map{.mt = nt, .nt = nt, .owner = {}};
  auto const rows = json.elements();
  if (rows.size() != static_cast<std::size_t>(nt))
    json.fail(fmt::format("has {} rows (the matrix has {}). Give [nt][nt] node numbers", rows.size(), nt));
  for (std::size_t m = 0; m < rows.size(); ++m) {
    auto const row = rows[m].elements();
    if (row.size() != rows.size())
      rows[m].fail(
          fmt::format("has {} numbers (the matrix has {} columns). Give one a tile", row.size(), nt));
    for (std::size_t n = 0; n < row.size(); ++n) {  // above the diagonal nothing is stored
      auto const node = row[n].integer(n > m ? -1 : 0, nodes - 1);
      map.owner.push_back(node < 0 ? NodeId{} : NodeId{node});
    }
  }
  return map;
}

/// Algorithm 2 from a map to a number of tiles per node.
class Redistribution : public DistributionMethod {
 public:
  Redistribution(JsonReader const& json, DistributionContext const& context)
      : from_(read_owners(json.at("from", "a map, [nt][nt]"), context.nt, context.nodes)),
        target_(read_target(json.at("target", "tiles per node"), context.nt, context.nodes)) {}

  /// With generation: tiles are generated as the target says, and factorized where they came from.
  [[nodiscard]] Distribution make(DistributionRequest const& request) const override {
    Distribution out{.map = redistribute(from_, target_), .description = "redistributed"};
    out.redistributed = moved_tiles(from_, out.map);
    if (request.has_generation) out.generation = std::exchange(out.map, from_);
    return out;
  }
  [[nodiscard]] bool decides_generation() const override { return true; }

 private:
  TileMap from_;
  std::vector<std::uint64_t> target_;  // [nodes]
};

}  // namespace

DistributionKind redistribution_kind() {
  return {.name = "redistribute",
          .description = "a map changed to given numbers of tiles per node, with the fewest moves",
          .meaning =
              "Algorithm 2: the map nearest to `from` with the given number of tiles of the lower "
              "triangle per node.",
          .keys = {target_key(),
                   {.name = "from",
                    .value = {rule::array(
                        {rule::array({rule::integer(-1, static_cast<std::int64_t>(max_nodes) - 1)}, 1)}, 1)},
                    .meaning = "[nt][nt] node numbers; -1 above the diagonal where nothing is stored",
                    .required = true}},
          .read = read_as<Redistribution>,
          .source = "ICPP 2021, Algorithm 2"};
}

}  // namespace factosim
