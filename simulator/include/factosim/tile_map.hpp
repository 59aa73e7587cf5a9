#pragma once

#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// The owner of each tile of an mt x nt matrix of tiles.
struct TileMap {
  int mt = 0;
  int nt = 0;
  std::vector<NodeId> owner;  // [mt][nt], row-major; an invalid id where nothing is stored

  [[nodiscard]] NodeId at(int m, int n) const {
    return owner[static_cast<std::size_t>(m) * static_cast<std::size_t>(nt) + static_cast<std::size_t>(n)];
  }
};

}  // namespace factosim
