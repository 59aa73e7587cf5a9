#include <fmt/format.h>

#include <utility>

#include "simulator/base/plugin/plugin.hpp"
#include "simulator/base/plugin/plugin_keys.hpp"
#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

DistributionMethod read_distribution_plugin(JsonReader const& json, PluginFile file) {
  auto plugin = std::make_shared<DistributionPlugin const>(std::move(file));
  auto values =
      std::make_shared<PluginValues const>(plugin->keys(), read_plugin_values(json, plugin->keys()));
  plugin->check(*values);
  PluginDistribution const of_plugin{.plugin = std::move(plugin), .values = std::move(values)};
  return {.map = [of_plugin](DistributionRequest const& request) -> Distribution {
    PluginMatrix matrix{.mt = request.nt,
                        .nt = request.nt,
                        .lower_only = request.factorization == Factorization::cholesky,
                        .nodes = request.nodes};
    if (request.timed)
      for (NodeCosts const& node : timed_costs(request).nodes)
        matrix.speeds.push_back(1 / node.area_of(TaskKind::update));  // 0 without a timing
    PluginFile const& library = of_plugin.plugin->file();
    return {.map = map_of_plugin(of_plugin, matrix),
            .description = fmt::format("{} ({})", library.name, of_plugin.plugin->checksum())};
  }};
}

}  // namespace factosim
