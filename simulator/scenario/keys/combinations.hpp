#pragma once

#include <string>

#include "factosim/platform.hpp"
#include "models/applications/application.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// Throws InputError if keys of the application, the platform and the distribution are each known, but not together.
/// `file` names the scenario.
void check_combinations(ApplicationParameters const& parameters, Platform const& platform,
                        RuntimeOptions const& runtime, bool on_layers, std::string const& file);

}  // namespace factosim
