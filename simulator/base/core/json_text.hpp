#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace factosim {

/// Returns JSON as text, on one line or, with `indent` >= 0, on several. Bytes that are not UTF-8, as in paths
/// and names of imported files, become U+FFFD; nlohmann's default is to throw.
template <class Json>
requires nlohmann::detail::is_basic_json<Json>::value std::string json_text(Json const& value,
                                                                            int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Returns a JSON string, in quotes.
inline std::string json_text(std::string_view text) { return json_text(nlohmann::json(text)); }

/// Returns the number of keys in valid JSON; more than an object of plain values has, if one stands twice.
inline std::size_t keys_in(std::string_view json) {
  std::size_t keys = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') in_string = !in_string;
    if (json[i] == '\\') ++i;  // of a string
    if (json[i] == ':' && !in_string) ++keys;
  }
  return keys;
}

}  // namespace factosim
