#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/placement/distribution.hpp"
#include "simulator/scenario/placement/placement.hpp"
#include "simulator/scenario/simulation/size_limit.hpp"

namespace factosim {

/// A task graph's scenario with its platform and the map of its tiles.
struct PlacedScenario : ScenarioHead, ClusterOptions {
  std::variant<TiledApplication, TraceApplication, GraphApplication> application;
  Distribution
      distribution;  // its map is empty if a replay keeps tasks on their nodes, or a graph has its own
};

/// Makes the map, and fits the links of a replay on the trace's own platform. Throws InputError if the
/// application is no task graph, and as `check_arrangement` and `make_distribution`.
[[nodiscard]] PlacedScenario place(Scenario scenario, SizeLimit const& limit = {});

/// Throws the InputError for commands on task graphs, of an application that is none.
[[noreturn]] void refuse_experiment(ScenarioHead const& head, std::string_view type);

/// Returns the application. Throws InputError if it is a trace or a graph: `command` needs a factorization.
[[nodiscard]] TiledApplication const& tiled_application(PlacedScenario const& scenario,
                                                        std::string_view command);

/// Returns the application with the timings of its cluster; it refers to the scenario.
[[nodiscard]] TimedApplication timed_application(PlacedScenario const& scenario);

/// Returns the problem that the scenario's map is made for; it refers to the scenario.
[[nodiscard]] DistributionRequest distribution_request(PlacedScenario const& scenario);

/// Returns another distribution of the scenario's tiles, from its JSON. Throws as `read_distribution` and
/// `make_distribution`.
[[nodiscard]] Distribution distribution_of(nlohmann::json const& document, PlacedScenario const& scenario);

/// Returns the tiles on their nodes. Throws InputError if the application is a trace or a graph: `command` needs a
/// factorization.
[[nodiscard]] Placement placement_of(PlacedScenario const& scenario, std::string_view command);

/// Reads a scenario from a document and makes its map; relative paths start from the folder of `file`. A scenario without a "platform" needs a distribution with one number
/// per node ("speeds", "cycle_times", "target"). Throws InputError, also if `tiles_sent` would need more
/// memory than the limit.
[[nodiscard]] Placement placement_of_document(nlohmann::json const& document, std::string const& file,
                                              SizeLimit const& limit = {});

/// As above, for a file; `settings` override its keys.
[[nodiscard]] Placement read_placement(std::filesystem::path const& file,
                                       std::vector<std::string> const& settings, SizeLimit const& limit = {});

}  // namespace factosim
