#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/result.hpp"
#include "models/applications/application.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/placement/distribution.hpp"
#include "simulator/scenario/simulation/size_limit.hpp"

namespace factosim {

/// An application's tiles on nodes; it needs no platform.
struct Placement {
  Application const* application = nullptr;  // never null; in the registry
  ApplicationParameters parameters;
  std::size_t nodes = 0;
  Distribution distribution;
  std::vector<std::string> node_types{};  // [nodes]; empty without a platform

  /// Returns whether `tiles_sent` builds the task graph to count its messages.
  [[nodiscard]] bool counts_in_graph() const {
    return !application->counts_tiles_sent || distribution.map.has_layers() || parameters.formats;
  }
};

/// Returns the number of tiles that each node owns, [nodes].
[[nodiscard]] std::vector<std::uint64_t> tiles_per_node(Placement const& placement);

/// Returns the number of tiles that the application makes nodes send, counted without simulating.
[[nodiscard]] std::uint64_t tiles_sent(Placement const& placement);

/// A task graph's scenario with its platform and the map of its tiles.
struct PlacedScenario : ScenarioHead, ClusterOptions {
  TaskApplication application;
  Distribution
      distribution;  // its map is empty if a replay keeps tasks on their nodes, or a graph has its own
};

/// Throws the InputError for commands on task graphs, of an application that is none.
[[noreturn]] void refuse_experiment(ScenarioHead const& head, std::string_view type);

/// Returns the application. Throws InputError if it is a trace or a graph: `command` needs a factorization.
[[nodiscard]] TiledApplication const& tiled_application(PlacedScenario const& scenario,
                                                        std::string_view command);

/// Returns the application with the timings of its cluster; it refers to the scenario.
[[nodiscard]] TimedApplication timed_application(PlacedScenario const& scenario);

/// Returns the problem that the scenario's map is made for, without a judge of maps; it refers to the scenario.
[[nodiscard]] DistributionRequest distribution_request(PlacedScenario const& scenario);

/// Returns another distribution of the scenario's tiles, from its JSON; closed forms choose where a judge would. Throws as `read_distribution` and
/// `make_distribution`.
[[nodiscard]] Distribution distribution_of(nlohmann::json const& document, PlacedScenario const& scenario);

/// Returns the tiles on their nodes. Throws InputError if the application is a trace or a graph: `command` needs a
/// factorization.
[[nodiscard]] Placement placement_of(PlacedScenario const& scenario, std::string_view command);

/// Returns every option of the scenario with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_options(PlacedScenario const& scenario);

/// Returns the provenance of a result: versions, effective options, sources of the timings.
[[nodiscard]] Result::Provenance provenance(PlacedScenario const& scenario);
/// Returns these versions as one text, that of a trace.
[[nodiscard]] std::string program_text(std::string_view version, std::string_view revision,
                                       std::string_view simgrid);
/// Returns that of this program.
[[nodiscard]] std::string this_program();
/// Returns the part that all kinds of scenarios have.
[[nodiscard]] Result::Provenance provenance_head(ScenarioHead const& head);

}  // namespace factosim
