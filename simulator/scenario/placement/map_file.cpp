#include "distributions/map_file.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

DistributionKind map_file_kind() {
  return {
      .name = "file",
      .description = "a map in a file, as Chameleon reads it",
      .meaning = "A map in Chameleon's text format: line 1 `M N`, then M lines of N node numbers from 1.",
      .keys = {stated_key("file", {rule::path()}, "the map", {.required = true})},
      .read = [](JsonReader const& json, DistributionContext const& context) -> DistributionMethod {
        JsonReader const file = json.at("file", "the map's file");
        TileMap map = read_map(file.path());
        if (map.mt != context.nt || map.nt != context.nt)
          file.fail(fmt::format("holds {} x {} tiles (the matrix has {} x {}). Give a map of that size",
                                map.mt, map.nt, context.nt, context.nt));
        for (NodeId const owner : map.owner)
          if (owner.valid() && owner.value() >= static_cast<std::uint32_t>(context.nodes))
            file.fail(fmt::format("names node {} (the platform has {}). Give a map for that many nodes",
                                  owner.value() + 1, context.nodes));
        return {.map = [map = std::move(map), name = file.string()](DistributionRequest const& /*request*/) {
          return Distribution{.map = map, .description = fmt::format("map {}", name)};
        }};
      }};
}

}  // namespace factosim
