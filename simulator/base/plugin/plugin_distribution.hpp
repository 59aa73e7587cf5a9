#pragma once

#include <memory>
#include <vector>

#include "factosim/tile_map.hpp"
#include "simulator/base/plugin/plugin.hpp"

namespace factosim {

/// A distribution that a plug-in makes, with the values of its keys.
struct PluginDistribution {
  std::shared_ptr<DistributionPlugin const> plugin;
  std::shared_ptr<PluginValues const> values;
};

/// What a plug-in's distribution may depend on.
struct PluginMatrix {
  int mt = 0, nt = 0;       // tiles
  bool lower_only = false;  // only the lower triangle is stored
  int nodes = 0;
  std::vector<double> speeds{};  // [nodes] tile updates per second; empty: not known
};

/// Returns the map that the plug-in makes. Throws InputError if it fails or names a node that does not exist.
[[nodiscard]] TileMap map_of_plugin(PluginDistribution const& distribution, PluginMatrix const& matrix);

}  // namespace factosim
