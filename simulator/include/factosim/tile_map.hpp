#pragma once

#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// The owner of each tile of an mt x nt matrix of tiles.
struct TileMap {
  int mt = 0;
  int nt = 0;
  std::vector<NodeId> owner;  // [mt][nt], row-major; an invalid id where nothing is stored

  [[nodiscard]] NodeId at(int m, int n) const { return owner[place(m, n)]; }
  [[nodiscard]] NodeId& at(int m, int n) { return owner[place(m, n)]; }

 private:
  [[nodiscard]] std::size_t place(int m, int n) const {
    return static_cast<std::size_t>(m) * static_cast<std::size_t>(nt) + static_cast<std::size_t>(n);
  }
};

/// Returns the map in which tile (m, n) belongs to node `owner_of(m, n)`.
template <class OwnerOf>
[[nodiscard]] TileMap tile_map(int mt, int nt, OwnerOf const& owner_of) {
  TileMap map{mt, nt, {}};
  map.owner.reserve(static_cast<std::size_t>(mt) * static_cast<std::size_t>(nt));
  for (int m = 0; m < mt; ++m)
    for (int n = 0; n < nt; ++n) map.owner.emplace_back(owner_of(m, n));
  return map;
}

}  // namespace factosim
