#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace factosim {

/// Applies "/json/pointer=value" settings to a document. A value that is not JSON is taken as a string.
/// Objects on the way are made when missing. Throws InputError.
void apply_settings(nlohmann::json& document, std::vector<std::string> const& settings);

/// Sets one value; objects on the way are made when missing. An array grows by one at most, so that no index
/// makes it large. Throws std::runtime_error, or an exception of the JSON library, where that cannot be.
void set_at(nlohmann::json& document, std::string const& pointer, nlohmann::json value);

}  // namespace factosim
