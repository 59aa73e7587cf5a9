#pragma once

#include <array>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace factosim {

/// A name that users may choose, with one line about what it stands for.
struct DescribedName {
  std::string name, description;
};

/// Returns the `name` and `description` of each item.
template <class Things>
[[nodiscard]] std::vector<DescribedName> described(Things const& things) {
  std::vector<DescribedName> out;
  out.reserve(std::size(things));
  for (auto const& thing : things) out.push_back({std::string(thing.name), std::string(thing.description)});
  return out;
}

/// Returns the `name` of each item.
template <class Things>
[[nodiscard]] std::vector<std::string> names_of(Things const& things) {
  std::vector<std::string> names;
  names.reserve(std::size(things));
  for (auto const& thing : things) names.emplace_back(thing.name);
  return names;
}

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
    out.reserve(count);
    for (auto const& [value, name] : values) out.emplace_back(name);
    return out;
  }
  /// Throws std::out_of_range for an unknown name.
  [[nodiscard]] Value named(std::string_view wanted) const {
    for (auto const& [value, name] : values)
      if (name == wanted) return value;
    throw std::out_of_range("unknown " + std::string(what) + " " + std::string(wanted));
  }
};

/// An enumeration whose words are what `names_of` of any of its values returns.
template <class E>
concept HasNames = std::is_enum_v<E> && requires(E e) {
  names_of(e).name_of(e);
};

template <HasNames E>
[[nodiscard]] std::string_view name_of(E value) {
  return names_of(value).name_of(value);
}

}  // namespace factosim
