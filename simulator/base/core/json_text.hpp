#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

/// Defines how a struct is written as JSON: an object with these members in this order, each under its own name. Numbers
/// that are not finite are written as null. To stand in the namespace of the struct.
#define FACTOSIM_JSON_MEMBERS(Type, ...)                                        \
  [[maybe_unused]] static void to_json(nlohmann::ordered_json& nlohmann_json_j, \
                                       Type const& nlohmann_json_t) {           \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))    \
  }

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

/// Returns whether the members, or elements, of the value of a key stand on lines of their own. `parent` is the key of the
/// object that has the key; both are empty for a whole document.
using InLines = bool (*)(std::string_view parent, std::string_view key);

/// Returns JSON as the text of a file that people read: what `in_lines` says on lines of its own, unless it is inside of what is
/// on one line. Numbers have the fewest digits that are read back as the same double, and whole ones no point.
[[nodiscard]] std::string json_file_text(nlohmann::ordered_json const& document, InLines in_lines);

/// Returns the list of `make(element)` for the elements of a range.
template <class Range, class Make>
nlohmann::ordered_json json_list(Range&& range, Make const& make) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (auto const& element : range) out.push_back(std::invoke(make, element));
  return out;
}

}  // namespace factosim
