#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

inline constexpr int unlimited = 1'000'000;

/// A key of "runtime" or "scheduler" and its option. Switches are booleans, counts have a minimum, all other
/// numbers are not negative.
template <class Options>
struct OptionKey {
  char const* key;
  std::variant<Seconds Options::*, double Options::*, int Options::*, bool Options::*> member;
  char const* meaning;
  char const* unit = "";
  char const* source = "";
  int minimum = 0;
  int maximum = unlimited;
  /// Came later: listed last among effective options, and only with a value other than the default, so that
  /// the options of older runs stay what they were.
  bool later = false;
};

inline ValueRule rule_of(Seconds /*option*/, char const* unit, int /*minimum*/, int /*maximum*/) {
  return rule::non_negative(unit);
}
inline ValueRule rule_of(double /*option*/, char const* unit, int /*minimum*/, int /*maximum*/) {
  return rule::non_negative(unit);
}
inline ValueRule rule_of(bool /*option*/, char const* /*unit*/, int /*minimum*/, int /*maximum*/) {
  return rule::boolean();
}
inline ValueRule rule_of(int /*option*/, char const* unit, int minimum, int maximum) {
  return rule::integer(minimum, maximum, unit);
}

inline double in_file(Seconds option) { return option.value; }
template <class Option>
Option in_file(Option option) {
  return option;
}

/// Returns the keys with the defaults of default-constructed options.
template <class Options, std::size_t count>
std::vector<Key> keys_of(std::array<OptionKey<Options>, count> const& options) {
  std::vector<Key> keys;
  Options const defaults;
  for (auto const& option : options)
    std::visit(
        [&](auto member) {
          keys.push_back({.name = option.key,
                          .value = {rule_of(defaults.*member, option.unit, option.minimum, option.maximum)},
                          .meaning = option.meaning,
                          .default_value = in_file(defaults.*member),
                          .source = option.source});
        },
        option.member);
  return keys;
}

inline void read_option(JsonReader const& json, Seconds& option) { option = {json.quantity()}; }
inline void read_option(JsonReader const& json, double& option) { option = json.quantity(); }
inline void read_option(JsonReader const& json, bool& option) { option = json.boolean(); }
inline void read_option(JsonReader const& json, int& option) { option = static_cast<int>(json.integer()); }

template <class Options, std::size_t count>
void read_options(JsonReader const& json, std::array<OptionKey<Options>, count> const& keys, Options& out) {
  for (auto const& key : keys)
    if (auto const value = json.find(key.key))
      std::visit([&](auto member) { read_option(*value, out.*member); }, key.member);
}

template <class Options, std::size_t count>
void add_options(nlohmann::ordered_json& out, std::array<OptionKey<Options>, count> const& keys,
                 Options const& options) {
  for (auto const& key : keys)
    if (!key.later) std::visit([&](auto member) { out[key.key] = in_file(options.*member); }, key.member);
}

/// Adds the options that came later and do not have the default.
template <class Options, std::size_t count>
void add_later_options(nlohmann::ordered_json& out, std::array<OptionKey<Options>, count> const& keys,
                       Options const& options) {
  Options const defaults;
  for (auto const& key : keys)
    std::visit(
        [&](auto member) {
          if (key.later && options.*member != defaults.*member) out[key.key] = in_file(options.*member);
        },
        key.member);
}

}  // namespace factosim
