#pragma once

#include <string>

#include "simulator/scenario/scenario.hpp"

namespace factosim {

/// Throws InputError if keys of the application, the platform and the distribution are each known, but not together.
/// `file` names the scenario.
void check_combinations(TiledScenario const& scenario, std::string const& file);

}  // namespace factosim
