#pragma once

#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/tasks/bounds/placed_flow.hpp"

namespace factosim {

/// Returns `use(flow)` of the tasks of a tiled application on their nodes.
template <class Use>
auto with_flow(PlacedScenario const& s, Use const& use) {
  auto const& [definition, parameters] = std::get<TiledApplication>(s.application);
  auto const tasks = definition->flow(parameters, s.distribution.map);
  PlacedFlow flow(*tasks, {&s.distribution.map, &s.distribution.generation_map()}, s.platform.nodes.size());
  return use(flow);
}

}  // namespace factosim
