#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/applications/application.hpp"
#include "simulator/scenario/distribution.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/simulation/size_limit.hpp"

namespace factosim {

/// Which node owns which tile of which application: as much of a scenario as needs no platform.
struct Placement {
  Application const* application = nullptr;
  ApplicationParameters parameters;
  std::size_t nodes = 0;
  Distribution distribution;
  std::vector<std::string> node_types;  // [nodes] empty without a platform
};

/// The placement of a whole scenario.
[[nodiscard]] Placement placement_of(Scenario&& scenario);

/// Reads a scenario, or one without a "platform", whose distribution then has "speeds", one number a node.
/// Throws InputError, also where what `tiles_sent` needs is more than the limit.
[[nodiscard]] Placement read_placement(std::filesystem::path const& file,
                                       std::vector<std::string> const& settings, SizeLimit const& limit = {});

/// [nodes] the tiles that each owns, where the application has any.
[[nodiscard]] std::vector<std::uint64_t> tiles_per_node(Placement const& placement);

/// Tiles that the factorization makes nodes send, counted without simulating.
[[nodiscard]] std::uint64_t tiles_sent(Placement const& placement);

}  // namespace factosim
