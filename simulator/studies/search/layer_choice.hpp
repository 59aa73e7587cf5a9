#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

#include "distributions/block_cyclic.hpp"
#include "distributions/map_neighbours.hpp"
#include "simulator/scenario/placement/distribution_description.hpp"

namespace factosim {

/// A distribution of a layer that exists for any number of nodes and needs no further keys.
struct LayerMap {
  char const* type;
  DistributionMethod (*description)(std::size_t nodes);
};
inline constexpr std::array layer_maps{
    LayerMap{"1d1d-c", [](std::size_t) -> DistributionMethod { return ConstrainedOneByOne{}; }},
    LayerMap{"1d1d", [](std::size_t) -> DistributionMethod { return OneByOne{}; }},
    LayerMap{"1d1d-c+s",
             [](std::size_t) -> DistributionMethod {
               return ConstrainedOneByOne{.speeds = {}, .costs = {}, .shuffle = ShuffleOptions{}};
             }},
    LayerMap{"block-cyclic",
             [](std::size_t nodes) -> DistributionMethod {
               return BlockCyclic{most_square_grid(static_cast<int>(nodes))};
             }},
};

/// Layers of nodes as a scenario describes them.
struct LayerChoice {
  std::vector<std::vector<std::uint32_t>> nodes;  // [layers] ascending; each in one layer at most
  std::vector<std::size_t> maps;                  // [layers] into layer_maps
  int consecutive = 1;                            // iterations in a row on one layer
  std::optional<std::uint32_t> panels{};          // the layer of all panels; none: that of the iteration

  [[nodiscard]] Layered description(double addition_bandwidth) const;
  /// Returns the same as a scenario's "distribution".
  [[nodiscard]] nlohmann::ordered_json json(double addition_bandwidth) const;
};

/// Returns what a search begins with: the `counts_of_fastest` nodes dealt in turn to one, two and three layers of 1Dx1D-C, of
/// one and two iterations in a row. `times`: [nodes] of an update.
[[nodiscard]] std::vector<LayerChoice> first_layer_choices(std::span<double const> times);

/// Changes one to three at random of: number of layers, number of the fastest nodes and how they are dealt, single nodes, maps,
/// iterations in a row, layer of the panels.
[[nodiscard]] LayerChoice random_neighbour(LayerChoice choice, std::span<double const> times,
                                           SearchRandom& random);

}  // namespace factosim
