#include <fmt/format.h>

#include <utility>

#include "simulator/base/plugin/plugin.hpp"
#include "simulator/base/plugin/plugin_keys.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

namespace {

/// Returns the map that the plug-in makes. Throws InputError if it fails or names a node that does not exist.
TileMap map_of_plugin(DistributionPlugin const& plugin, PluginValues const& values,
                      DistributionRequest const& request) {
  std::vector<double> speeds;  // [nodes] tile updates per second, 0 without a timing; empty: not known
  if (request.timed)
    for (NodeCosts const& node : timed_costs(request).nodes)
      speeds.push_back(1 / node.area_of(TaskKind::update));
  bool const lower_only = request.factorization == Factorization::cholesky;
  factosim_matrix const passed{.size = sizeof(factosim_matrix),
                               .rows = request.nt,
                               .columns = request.nt,
                               .lower_only = lower_only ? 1 : 0,
                               .nodes = request.nodes,
                               .speeds = speeds.empty() ? nullptr : speeds.data()};
  constexpr std::int32_t unset = INT32_MIN;
  auto const nt = static_cast<std::size_t>(request.nt);
  std::vector<std::int32_t> owners(nt * nt, unset);
  factosim_problem problem{.key = -1, .text = {}};
  if (call_plugin(plugin.file(), "owners", [&] {
        return plugin.offer().owners(&passed, values.data(), owners.data(), &problem);
      }) != 0)
    fail_with(plugin.file(), plugin.keys(), problem);
  TileMap map{.mt = request.nt, .nt = request.nt, .owner = {}};
  map.owner.reserve(owners.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    std::size_t const m = i / nt, n = i % nt;
    bool const stored = !lower_only || n <= m, exists = owners[i] >= 0 && owners[i] < request.nodes;
    if (stored && !exists)
      throw InputError(
          plugin.file().where,
          fmt::format("{} {} (there are {} nodes). Give each tile a number from 0 to {}", plugin.file().name,
                      owners[i] == unset ? fmt::format("gives tile ({}, {}) no owner", m, n)
                                         : fmt::format("gives tile ({}, {}) to node {}", m, n, owners[i]),
                      request.nodes, request.nodes - 1));
    map.owner.push_back(exists ? NodeId{owners[i]} : NodeId{});
  }
  return map;
}

}  // namespace

DistributionMethod read_distribution_plugin(JsonReader const& json, PluginFile file) {
  auto plugin = std::make_shared<DistributionPlugin const>(std::move(file));
  auto values =
      std::make_shared<PluginValues const>(plugin->keys(), read_plugin_values(json, plugin->keys()));
  plugin->check(*values);
  return {.map = [plugin, values](DistributionRequest const& request) -> Distribution {
    return {.map = map_of_plugin(*plugin, *values, request),
            .description = fmt::format("{} ({})", plugin->file().name, plugin->checksum())};
  }};
}

}  // namespace factosim
