#pragma once

#include <memory>
#include <set>

#include "factosim/tile_map.hpp"
#include "models/applications/application_flow.hpp"

namespace factosim {

struct ApplicationParameters;

/// The kernel that adds a partial sum to a tile: nb^2 operations. Of tiles in another precision than the application's its name
/// ends by it: "tile_add_single".
inline constexpr char const* addition_kernel = "tile_add";

/// Returns the precisions that partial sums may have: a sum has that of its tile.
[[nodiscard]] std::set<Precision> sum_precisions(ApplicationParameters const& parameters);

/// Tiles that each iteration updates.
enum class UpdatedTiles {
  trailing,  // (m, n) with m > k and n > k; the others are those of its panel
  all
};

/// Returns the flow with its updates on the layers of the map, which has some. The flow must add the handles of
/// the updated matrix first, and then those of another one from a place on that both have, and submit iteration k in the round counted from its end. Refers to
/// the arguments.
///
/// - The updates of iteration k write the partial sum of the tile on layer `of_iteration[k]`, a handle owned by that layer's
///   owner of the tile; the first one begins it. On the layer of the panel min(m, n) they write the tile itself.
/// - Before its panel's task, or at the end if there is none, a tile takes up the partial sums of the other layers, layer by
///   layer: tasks `tile_add` (k, m, n) with the last iteration k in the sum, as urgent as the task of the panel.
[[nodiscard]] std::unique_ptr<ApplicationFlow> on_layers(std::unique_ptr<ApplicationFlow> flow,
                                                         ApplicationParameters const& parameters,
                                                         TileMap const& map, UpdatedTiles updated);

}  // namespace factosim
