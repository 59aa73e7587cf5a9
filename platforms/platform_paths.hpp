#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "platforms/shipped_files.hpp"

namespace factosim {

/// Calls `visit` for each text of a scenario's "platform" that names a file: the platform or those that it merges, kernel
/// timings and networks.
void visit_file_names(nlohmann::json& platform,
                      std::function<void(nlohmann::json& text, ShippedKind kind)> const& visit);

}  // namespace factosim
