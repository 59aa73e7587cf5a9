#pragma once

#include <memory>
#include <string>
#include <vector>

#include "factosim/tile_map.hpp"
#include "models/applications/application.hpp"

namespace factosim {

/// Row `above` eliminates row `below`; the lower tile is triangular or square.
struct Elimination {
  int above, below;
  bool triangles;
};

/// The operations of one iteration on its column: first geqrt, then the eliminations in this order.
struct Reduction {
  std::vector<int> triangular;  // rows of geqrt
  std::vector<Elimination> eliminations;
};

/// Returns the operations of iteration k of tile QR with the tree. The map is used for the tree "nodes"; an empty one stands
/// for one node.
[[nodiscard]] Reduction reduction_of(std::string const& tree, int nt, TileMap const& map, int k);

/// Returns the tasks of tile QR as formulas.
[[nodiscard]] std::unique_ptr<TaskFormulas> make_qr_formulas(ApplicationParameters const& parameters,
                                                             std::string const& tree, TileMap const& map);

}  // namespace factosim
