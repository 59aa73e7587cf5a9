#pragma once

#include <functional>
#include <nlohmann/json.hpp>

/// Defines how a struct is written as JSON: an object with these members in this order, each under its own name. Numbers
/// that are not finite are written as null. To stand in the namespace of the struct.
#define FACTOSIM_JSON_MEMBERS(Type, ...)                                        \
  [[maybe_unused]] static void to_json(nlohmann::ordered_json& nlohmann_json_j, \
                                       Type const& nlohmann_json_t) {           \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))    \
  }

namespace factosim {

/// Returns the list of `make(element)` for the elements of a range.
template <class Range, class Make>
nlohmann::ordered_json json_list(Range&& range, Make const& make) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (auto const& element : range) out.push_back(std::invoke(make, element));
  return out;
}

}  // namespace factosim
