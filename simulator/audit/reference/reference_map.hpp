#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim::audit {

/// What a run records about the distribution of its tiles.
struct MapDescription {
  std::string text;        // "block-cyclic 2 x 11"
  nlohmann::json details;  // "partition", "sections", "moves", "grid", "lp"; may be empty
  std::size_t nodes = 0;
  bool lower_only = false;  // only tiles on and below the diagonal count
};

/// Returns what is expected of the owner of a tile, or nothing if `owner` may own it.
using TileRule = std::function<std::string(int m, int n, NodeId owner)>;

/// The rules of a distribution, from its definition: a formula where there is one, otherwise what defines it.
struct MapRules {
  std::vector<TileRule> alternatives{};  // a map follows one of them; empty: nothing is known
  std::vector<std::string> faults{};     // of the description itself: "two rectangles overlap"
};

/// The rules of the main map.
[[nodiscard]] MapRules map_rules(MapDescription const& description, int nt);

/// Iterations that do not go to the layer that would finish first by its share, and tiles that are not on the layer of their
/// last iteration, as sentences.
[[nodiscard]] std::vector<std::string> layer_faults(MapDescription const& description, TileMap const& map);

/// The nodes with more or fewer generated tiles than the linear program's shares, and whether more tiles move
/// than necessary, as sentences.
[[nodiscard]] std::vector<std::string> generation_faults(MapDescription const& description,
                                                         TileMap const& main, TileMap const& generation);

}  // namespace factosim::audit
