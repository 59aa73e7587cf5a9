#include <fmt/format.h>

#include <utility>

#include "simulator/base/plugin/plugin.hpp"
#include "simulator/base/plugin/plugin_keys.hpp"
#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

namespace {

class DistributionOfPlugin : public DistributionMethod {
 public:
  DistributionOfPlugin(JsonReader const& json, PluginFile file) {
    auto plugin = std::make_shared<DistributionPlugin const>(std::move(file));
    auto values =
        std::make_shared<PluginValues const>(plugin->keys(), read_plugin_values(json, plugin->keys()));
    plugin->check(*values);
    plugin_ = {.plugin = std::move(plugin), .values = std::move(values)};
  }

  [[nodiscard]] Distribution make(DistributionRequest const& request) const override {
    PluginMatrix matrix{.mt = request.nt,
                        .nt = request.nt,
                        .lower_only = request.factorization == Factorization::cholesky,
                        .nodes = request.nodes};
    if (request.timed)
      for (NodeCosts const& node : timed_costs(request).nodes)
        matrix.speeds.push_back(1 / node.area_of(TaskKind::update));  // 0 without a timing
    return {.map = map_of_plugin(plugin_, matrix),
            .description = fmt::format("{} ({})", plugin_.plugin->file().name, plugin_.plugin->checksum())};
  }

 private:
  PluginDistribution plugin_;
};

}  // namespace

std::unique_ptr<DistributionMethod> read_distribution_plugin(JsonReader const& json, PluginFile file) {
  return std::make_unique<DistributionOfPlugin>(json, std::move(file));
}

}  // namespace factosim
