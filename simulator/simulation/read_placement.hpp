#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/placement/placement.hpp"
#include "simulator/simulation/size_limit.hpp"

namespace factosim {

/// Reads a scenario and makes its map. A scenario without a "platform" needs a distribution with one number
/// per node ("speeds", "cycle_times", "target"). Throws InputError, also if `tiles_sent` would need more
/// memory than the limit.
[[nodiscard]] Placement read_placement(std::filesystem::path const& file,
                                       std::vector<std::string> const& settings, SizeLimit const& limit = {});

}  // namespace factosim
