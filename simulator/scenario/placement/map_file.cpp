#include "distributions/map_file.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

namespace {

class MapFromFile : public DistributionMethod {
 public:
  MapFromFile(JsonReader const& json, DistributionContext const& context) {
    JsonReader const file = json.at("file", "the map's file");
    map_ = read_map(file.path());
    if (map_.mt != context.nt || map_.nt != context.nt)
      file.fail(fmt::format("holds {} x {} tiles (the matrix has {} x {}). Give a map of that size", map_.mt,
                            map_.nt, context.nt, context.nt));
    for (NodeId const owner : map_.owner)
      if (owner.valid() && owner.value() >= static_cast<std::uint32_t>(context.nodes))
        file.fail(fmt::format("names node {} (the platform has {}). Give a map for that many nodes",
                              owner.value() + 1, context.nodes));
    file_ = file.string();
  }

  [[nodiscard]] Distribution make(DistributionRequest const& /*request*/) const override {
    return {.map = map_, .description = fmt::format("map {}", file_)};
  }

 private:
  TileMap map_;
  std::string file_;  // as in the scenario
};

}  // namespace

DistributionKind map_file_kind() {
  return {.name = "file",
          .description = "a map in a file, as Chameleon reads it",
          .meaning = "A map in Chameleon's text format: line 1 `M N`, then M lines of N node numbers from 1.",
          .keys = {{.name = "file", .value = {rule::path()}, .meaning = "the map", .required = true}},
          .read = read_as<MapFromFile>};
}

}  // namespace factosim
