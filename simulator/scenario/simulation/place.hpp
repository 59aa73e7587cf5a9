#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "simulator/scenario/simulation/placed_scenario.hpp"

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

}  // namespace factosim
