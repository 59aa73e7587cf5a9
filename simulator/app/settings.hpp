#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace factosim {

/// Applies "/json/pointer=value" settings to a document. A value that is not JSON is taken as a string.
/// Objects on the way are made when missing. Throws InputError.
void apply_settings(nlohmann::json& document, std::vector<std::string> const& settings);

}  // namespace factosim
