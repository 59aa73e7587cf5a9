#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// Layers of nodes, of which each computes the updates of some iterations (2.5D): a layer holds partial sums of the tiles,
/// which are added up before the panel of the tile.
struct TileLayers {
  std::vector<std::uint32_t> of_iteration{};  // [nt] the layer of the updates of each iteration
  std::vector<std::uint32_t> of_panel{};      // [nt] the layer of its panel
  std::vector<std::vector<NodeId>> owner{};   // [layers][mt][nt] as TileMap::owner
};

/// The owner of each tile of an mt x nt matrix of tiles.
struct TileMap {
  int mt = 0;
  int nt = 0;
  std::vector<NodeId> owner;  // [mt][nt], row-major; an invalid id where nothing is stored
  /// None: all iterations are of one layer. Otherwise `owner` is that in the layer of the panel min(m, n), which has the tile at first.
  TileLayers layers{};

  [[nodiscard]] NodeId at(int m, int n) const { return owner[place(m, n)]; }
  [[nodiscard]] NodeId& at(int m, int n) { return owner[place(m, n)]; }
  [[nodiscard]] bool has_layers() const { return !layers.owner.empty(); }
  /// Returns the node that runs the task of iteration k of a factorization that writes the tile.
  [[nodiscard]] NodeId in_iteration(int k, int m, int n) const {
    bool const is_panel = m == k || n == k;
    return has_layers() && !is_panel ? in_layer(layers.of_iteration[static_cast<std::size_t>(k)], m, n)
                                     : at(m, n);
  }
  /// Returns the owner of the layer's partial sum of the tile.
  [[nodiscard]] NodeId in_layer(std::size_t layer, int m, int n) const {
    return layers.owner[layer][place(m, n)];
  }

 private:
  [[nodiscard]] std::size_t place(int m, int n) const {
    return static_cast<std::size_t>(m) * static_cast<std::size_t>(nt) + static_cast<std::size_t>(n);
  }
};

/// Returns the map in which tile (m, n) belongs to node `owner_of(m, n)`.
template <class OwnerOf>
[[nodiscard]] TileMap tile_map(int mt, int nt, OwnerOf const& owner_of) {
  TileMap map{.mt = mt, .nt = nt, .owner = {}};
  map.owner.reserve(static_cast<std::size_t>(mt) * static_cast<std::size_t>(nt));
  for (int m = 0; m < mt; ++m)
    for (int n = 0; n < nt; ++n) map.owner.emplace_back(owner_of(m, n));
  return map;
}

}  // namespace factosim
