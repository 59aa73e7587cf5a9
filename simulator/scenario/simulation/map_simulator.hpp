#pragma once

#include "distributions/selected_map.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

/// Simulates one scenario with different maps. SimGrid's network is replaced by the built-in max-min network, since
/// SimGrid can simulate only once per process.
class MapSimulator {
 public:
  /// Throws as `plan_tasks`.
  explicit MapSimulator(PlacedScenario scenario);

  /// Throws as `re_place`.
  [[nodiscard]] Seconds makespan(TileMap const& map);

  [[nodiscard]] PlacedScenario const& scenario() const { return plan_.scenario; }
  [[nodiscard]] TaskGraph const& graph() const { return plan_.stored().graph; }

 private:
  TaskPlan plan_;
};

/// Returns the judge of maps for the scenario's nodes, of any number of tiles: the makespan of its application without
/// noise and under its policy; full tiles if the maps have fewer than the application. The judge refers to the scenario.
[[nodiscard]] Judge simulated_judge(PlacedScenario const& scenario);

}  // namespace factosim
