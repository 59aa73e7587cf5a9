#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace factosim {

/// The values of an enumeration and their names in files.
template <class Value, std::size_t count>
struct NamedValues {
  std::string_view what;  // for messages: "broadcast"
  std::array<std::pair<Value, std::string_view>, count> values;

  [[nodiscard]] std::string_view name_of(Value wanted) const {
    for (auto const& [value, name] : values)
      if (value == wanted) return name;
    throw std::out_of_range("unknown " + std::string(what));
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (auto const& [value, name] : values) out.emplace_back(name);
    return out;
  }
  /// Throws std::out_of_range for a name that is none.
  [[nodiscard]] Value named(std::string_view wanted) const {
    for (auto const& [value, name] : values)
      if (name == wanted) return value;
    throw std::out_of_range("unknown " + std::string(what) + " " + std::string(wanted));
  }
};

}  // namespace factosim
