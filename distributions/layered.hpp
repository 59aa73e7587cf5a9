#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "factosim/tile_map.hpp"

namespace factosim {

/// Returns the map of a 2.5D algorithm from a map of the whole matrix for each layer. Iterations are assigned in order,
/// `consecutive` at a time, to the layer that would finish its iterations first at the speed `shares[layer]`: with equal shares,
/// iteration k to layer k mod c. O(layers (nt^2 + nt)).
///
/// A tile is updated on the layer of each iteration, in a partial sum there; the owner in the layer of the panel min(m, n)
/// has the tile at first, adds the partial sums to it, and runs the task of the panel. All panels are on the layer
/// `panels`, or each on the layer of its iteration.
///
/// Sources: Solomonik, Demmel, Euro-Par 2011 (2.5D LU); Beaumont, Duchon, Eyraud-Dubois, Langou, Verite, SC 2022 (2.5D
/// Cholesky by tasks: iteration k on slice k mod c).
[[nodiscard]] TileMap layered(std::vector<TileMap> layers, std::span<double const> shares,
                              int consecutive = 1, std::optional<std::uint32_t> panels = {});

/// Deals the nodes to layers in turn, the first to the first layer. Returns [layers] node numbers, ascending.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> deal_in_turn(std::span<std::uint32_t const> nodes,
                                                                   std::size_t layers);

/// Deals nodes to layers: those of one type in turn, types in the order of their first nodes, so that layers have about the
/// same nodes of each. Returns [layers] node numbers, ascending. `type_of`: [nodes].
[[nodiscard]] std::vector<std::vector<std::uint32_t>> deal_nodes(std::span<std::uint32_t const> type_of,
                                                                 std::size_t layers);

}  // namespace factosim
