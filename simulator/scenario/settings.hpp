#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace factosim {

/// Applies "/json/pointer=value" settings to a document. A value that is not JSON is a string.
/// Creates missing objects. Throws InputError.
void apply_settings(nlohmann::json& document, std::vector<std::string> const& settings);

/// Sets one value; creates missing objects. An array grows by at most one element. Throws
/// std::runtime_error, or an exception of the JSON library, if the pointer is not possible.
void set_at(nlohmann::json& document, std::string const& pointer, nlohmann::json value);

}  // namespace factosim
