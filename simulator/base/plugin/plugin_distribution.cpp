#include "simulator/base/plugin/plugin.hpp"

#include <fmt/format.h>

#include "simulator/base/plugin/plugin_call.hpp"

namespace factosim {

TileMap map_of_plugin(PluginDistribution const& distribution, PluginMatrix const& matrix) {
  DistributionPlugin const& plugin = *distribution.plugin;
  factosim_matrix const passed{.size = sizeof(factosim_matrix),
                               .rows = matrix.mt,
                               .columns = matrix.nt,
                               .lower_only = matrix.lower_only ? 1 : 0,
                               .nodes = matrix.nodes,
                               .speeds = matrix.speeds.empty() ? nullptr : matrix.speeds.data()};
  constexpr std::int32_t unset = INT32_MIN;
  auto const tiles = static_cast<std::size_t>(matrix.mt) * static_cast<std::size_t>(matrix.nt);
  std::vector<std::int32_t> owners(tiles, unset);
  factosim_problem problem{.key = -1, .text = {}};
  if (call_plugin(plugin.file(), "owners", [&] {
        return plugin.offer().owners(&passed, distribution.values->data(), owners.data(), &problem);
      }) != 0)
    fail_with(plugin.file(), plugin.keys(), problem);
  TileMap map{.mt = matrix.mt, .nt = matrix.nt, .owner = {}};
  map.owner.reserve(tiles);
  for (std::size_t i = 0; i < tiles; ++i) {
    std::size_t const m = i / static_cast<std::size_t>(matrix.nt),
                      n = i % static_cast<std::size_t>(matrix.nt);
    bool const stored = !matrix.lower_only || n <= m;
    if (stored && (owners[i] < 0 || owners[i] >= matrix.nodes))
      throw InputError(
          plugin.file().where,
          fmt::format("{} {} (there are {} nodes). Give each tile a number from 0 to {}", plugin.file().name,
                      owners[i] == unset ? fmt::format("gives tile ({}, {}) no owner", m, n)
                                         : fmt::format("gives tile ({}, {}) to node {}", m, n, owners[i]),
                      matrix.nodes, matrix.nodes - 1));
    map.owner.push_back(owners[i] >= 0 && owners[i] < matrix.nodes ? NodeId{owners[i]} : NodeId{});
  }
  return map;
}

}  // namespace factosim
