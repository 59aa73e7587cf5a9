#pragma once

#include <cstdint>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Owners of tiles without the names of equal nodes: maps that differ in these only have the same schedules.
class NodeNames {
 public:
  NodeNames(FactorizationCosts const& costs, Factorization factorization);

  /// Returns the owners of the tiles that are factorized, row by row, where the nodes of a kind are numbered anew in the order in
  /// which they appear. O(tiles + nodes).
  [[nodiscard]] std::vector<NodeId> without_names(TileMap const& map) const;

 private:
  bool lower_only_;
  std::vector<std::uint32_t> kind_of_;  // [nodes] the first node of the kind
};

}  // namespace factosim
