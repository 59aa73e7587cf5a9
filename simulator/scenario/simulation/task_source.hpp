#pragma once

#include <memory>

#include "simulator/scenario/keys/scenario.hpp"

namespace factosim {

class TaskFormulas;

/// Returns the formulas that the run of a tiled application takes its tasks from; null if it takes them from the stored
/// graph. Throws InputError if the scenario asks for formulas and the run needs the graph. `has_layers`: tiles are on layers.
[[nodiscard]] std::unique_ptr<TaskFormulas const> formulas_of_run(TiledApplication const& application,
                                                                  ClusterOptions const& cluster,
                                                                  ScenarioHead const& head, bool has_layers);

}  // namespace factosim
