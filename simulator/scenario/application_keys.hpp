#pragma once

#include <nlohmann/json.hpp>
#include <utility>

#include "models/applications/application.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// Reads the key "application" of a scenario: the keys common to all applications, then the application's
/// own. Throws InputError.
[[nodiscard]] std::pair<Application const*, ApplicationParameters> read_application(JsonReader const& json);

/// The effective options of an application, defaults included.
[[nodiscard]] nlohmann::ordered_json effective_application(Application const& application,
                                                           ApplicationParameters const& parameters);

}  // namespace factosim
