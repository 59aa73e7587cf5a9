#include "distributions/layered.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "distributions/one_dimensional.hpp"
#include "factosim/error.hpp"

namespace factosim {

TileMap layered(std::vector<TileMap> layers, std::span<double const> shares, int consecutive,
                std::optional<std::uint32_t> panels) {
  FACTOSIM_EXPECT(!layers.empty() && layers.size() == shares.size(), "a share for each layer");
  int const nt = layers.front().nt;
  TileMap out{.mt = layers.front().mt, .nt = nt, .owner = {}};
  OneDimensional iterations({shares.begin(), shares.end()}, TieRule::lowest);
  auto& of_iteration = out.layers.of_iteration;
  for (int k = 0; k < nt; ++k)
    of_iteration.push_back(k % consecutive == 0 ? iterations.next() : of_iteration.back());
  out.layers.of_panel = panels ? std::vector<std::uint32_t>(of_iteration.size(), *panels) : of_iteration;
  for (TileMap& layer : layers) out.layers.owner.push_back(std::move(layer.owner));
  out.owner = tile_map(out.mt, nt, [&](int m, int n) {
                return out.in_layer(out.layers.of_panel[static_cast<std::size_t>(std::min(m, n))], m, n);
              }).owner;
  return out;
}

std::vector<std::vector<std::uint32_t>> deal_in_turn(std::span<std::uint32_t const> nodes,
                                                     std::size_t layers) {
  std::vector<std::vector<std::uint32_t>> out(layers);
  for (std::size_t i = 0; i < nodes.size(); ++i) out[i % layers].push_back(nodes[i]);
  for (auto& layer : out) std::ranges::sort(layer);
  return out;
}

std::vector<std::vector<std::uint32_t>> deal_nodes(std::span<std::uint32_t const> type_of,
                                                   std::size_t layers) {
  std::vector<std::uint32_t> nodes(type_of.size());
  std::iota(nodes.begin(), nodes.end(), 0U);
  std::map<std::uint32_t, std::uint32_t> first;  // node of each type: numbers of types follow their names
  for (std::uint32_t const node : nodes) first.try_emplace(type_of[node], node);
  std::ranges::stable_sort(nodes, {}, [&](std::uint32_t node) { return first.at(type_of[node]); });
  return deal_in_turn(nodes, layers);
}

}  // namespace factosim
