#include "distributions/tiles_sent.hpp"

#include <fmt/format.h>

#include <utility>

#include "platforms/platform_limits.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

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
DistributionMethod read_redistribution(JsonReader const& json, DistributionContext const& context) {
  TileMap from = read_owners(json.at("from", "a map, [nt][nt]"), context.nt, context.nodes);
  auto target = read_target(json, context);
  return {.map =
              [from = std::move(from), target = std::move(target)](DistributionRequest const& request) {
                Distribution out{.map = redistribute(from, target), .description = "redistributed"};
                out.redistributed = moved_tiles(from, out.map);
                // With generation: tiles are generated as the target says, and factorized where they came from.
                if (request.has_generation) out.generation = std::exchange(out.map, from);
                return out;
              },
          .decides_generation = true};
}

}  // namespace

DistributionKind redistribution_kind() {
  return {
      .name = "redistribute",
      .description = "a map changed to given numbers of tiles per node, with the fewest moves",
      .meaning =
          "Algorithm 2: the map nearest to `from` with the given number of tiles of the lower triangle "
          "per node.",
      .keys = {target_key(),
               stated_key(
                   "from",
                   {rule::array(
                       {rule::array({rule::integer(-1, static_cast<std::int64_t>(max_nodes) - 1)}, 1)}, 1)},
                   "[nt][nt] node numbers; -1 above the diagonal where nothing is stored",
                   {.required = true})},
      .read = read_redistribution,
      .source = "ICPP 2021, Algorithm 2"};
}

}  // namespace factosim
