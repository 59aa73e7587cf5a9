#pragma once

#include <string>
#include <utility>

#include "models/applications/application.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// The application's name in the registry and what it is asked to compute.
std::pair<std::string, ApplicationParameters> read_application(JsonReader const& json);

}  // namespace factosim
