#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "distributions/map_neighbours.hpp"
#include "simulator/studies/search/simulated_maps.hpp"

namespace factosim {

/// Distributions that a search can start from, in the order in which it simulates them.
inline constexpr std::array search_starts{"1d1d-c+s", "1d1d-c", "1d1d",  "block-cyclic",
                                          "g-2dbc",   "sbc",    "1d1d-l"};

struct SearchOptions {
  SearchLimits limits{};
  // Those of `search_starts` that are simulated if they exist for the application and its nodes.
  std::vector<std::string> starts{search_starts.begin(), search_starts.end()};
};

/// Simulates the starting distributions and the scenario's own, regardless of the limits, and 1Dx1D-L unless they are
/// reached before; the simulations by which it chooses its map do not count. Then, within the limits, neighbours of
/// the best member of the family around 1Dx1D-C+S and, after many without improvement, alternately random moves on the
/// best map. Returns the map with the minimum makespan; no map is simulated twice. Random numbers come from the
/// scenario's seed. Throws InputError if a node has no timing of a kernel, InfeasibleError if no map fits into the memory of
/// the nodes. Of a scenario with layers: simulates its own and first_layer_choices, which may be the start "layers", then
/// random neighbours of the best choice of a random number of layers.
FoundDistribution search_distribution(PlacedScenario const& scenario, SearchOptions const& options,
                                      SearchProgress const& progress = {});

/// Distributions of a layer that exist for any number of nodes and need no further keys.
inline constexpr std::array layer_maps{"1d1d-c", "1d1d", "1d1d-c+s", "block-cyclic"};

/// Layers of nodes as a scenario describes them.
struct LayerChoice {
  std::vector<std::vector<std::uint32_t>> nodes;  // [layers] ascending; each in one layer at most
  std::vector<std::size_t> maps;                  // [layers] into layer_maps
  int consecutive = 1;                            // iterations in a row on one layer
  std::optional<std::uint32_t> panels{};          // the layer of all panels; none: that of the iteration

  /// Returns a scenario's "distribution".
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
