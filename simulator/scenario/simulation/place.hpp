#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "distributions/selected_map.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

/// Makes the map, and fits the links of a replay on the trace's own platform. Throws InputError if the
/// application is no task graph, and as `check_arrangement` and `make_distribution`.
[[nodiscard]] PlacedScenario place(Scenario scenario, SizeLimit const& limit = {});

/// Reads a scenario from a document and makes its map; relative paths start from the folder of `file`. A scenario
/// without a "platform" needs a distribution with one number per node ("speeds", "cycle_times", "target"). Throws InputError, also if `tiles_sent` would need more
/// memory than the limit.
[[nodiscard]] Placement placement_of_document(nlohmann::json const& document, std::string const& file,
                                              SizeLimit const& limit = {});

/// As above, for a file; `settings` override its keys.
[[nodiscard]] Placement read_placement(std::filesystem::path const& file,
                                       std::vector<std::string> const& settings, SizeLimit const& limit = {});

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
