#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace factosim {

struct ObjectKeys;
/// Returns the table of an object's keys. A function, because tables may contain each other.
using KeysFunction = ObjectKeys const& (*)();

/// Limits of the magnitude of seconds, bytes per second and operations per second: products and quotients of two
/// remain finite, and no machine exceeds them.
constexpr double smallest_quantity = 1e-30, largest_quantity = 1e30;

/// What a JSON value may be. Readers, JSON Schema and the reference have it from here.
struct ValueRule {
  enum class Kind : std::uint8_t {
    boolean,
    integer,
    number,
    text,
    path,
    word,
    array,
    object,
    map,
    null,
    any
  };
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  Kind kind = Kind::any;
  std::string unit{};                                // of an integer or a number
  std::int64_t least = 0, most = 0;                  // of an integer
  double minimum = 0, maximum = largest_quantity;    // of a number
  bool above_zero = false;                           // a number, with a minimum of 0
  std::vector<std::string> words{};                  // values of a word
  std::string pattern{};                             // regular expression of a text, or of the names of a map
  std::size_t min_items = 0, max_items = unlimited;  // of an array or a map
  std::vector<ValueRule> items{};                    // alternatives for the elements of an array or a map
  KeysFunction keys = nullptr;                       // of an object
};

/// Alternatives of different JSON types.
using ValueRules = std::vector<ValueRule>;

/// A key of an object.
struct Key {
  std::string name;
  ValueRules value{};
  std::string meaning;  // one sentence; may contain Markdown
  bool required = false;
  std::string missing{};           // of a required key: what the message calls it; empty: its meaning
  nlohmann::json default_value{};  // null: none
  std::string default_text{};      // for a default that depends on something else
  std::string source{};            // section of a paper, file of StarPU or SimGrid
};

/// What few keys have: the last members of Key.
struct KeyOptions {
  bool required = false;
  std::string missing{};
  nlohmann::json default_value{};
  std::string default_text{}, source{};
};

[[nodiscard]] Key stated_key(std::string name, ValueRules value, std::string meaning,
                             KeyOptions options = {});

/// The keys of an object of a file, some of which may depend on its contents.
struct ObjectKeys {
  /// Keys of objects in which `selector`, a key or a path of keys ("application/type"), is `word`; with an empty word,
  /// of those that have the key `selector`; with an empty selector, of all others. "*.so" is any word that ends so.
  struct Variant {
    std::string selector, word;
    std::vector<Key> keys{};
    std::string meaning{};
    std::string
        other_names{};  // regular expression of further keys, whose names the user chooses; empty: none
    ValueRules others{};
  };

  std::string title;  // unique among all tables; names the definition in JSON Schema
  std::string meaning;
  std::vector<Key> keys{};  // of all variants
  std::vector<Variant>
      variants{};  // the first that applies; if there are any and none applies, the reader refuses

  /// Returns the variant that applies to the object; null if none does.
  [[nodiscard]] Variant const* variant_of(nlohmann::json const& object) const;
  /// Returns the key of that name in the object's variant, else in any variant, else null.
  [[nodiscard]] Key const* find(std::string_view name, nlohmann::json const& object) const;
};

/// The keys with which a file names its kind: "$schema", "format" and "version".
[[nodiscard]] std::vector<Key> file_keys(std::string_view format);

/// Returns the keys of both lists.
[[nodiscard]] std::vector<Key> joined(std::vector<Key> first, std::vector<Key> const& second);

/// Rules by kind.
namespace rule {

[[nodiscard]] inline ValueRule boolean() { return {.kind = ValueRule::Kind::boolean}; }
[[nodiscard]] inline ValueRule integer(std::int64_t least, std::int64_t most, std::string unit = {}) {
  return {.kind = ValueRule::Kind::integer, .unit = std::move(unit), .least = least, .most = most};
}
[[nodiscard]] inline ValueRule number(double minimum, double maximum, std::string unit = {}) {
  return {.kind = ValueRule::Kind::number, .unit = std::move(unit), .minimum = minimum, .maximum = maximum};
}
[[nodiscard]] inline ValueRule any_number() {
  return number(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
}
[[nodiscard]] inline ValueRule non_negative(std::string unit = {}) {
  return number(0, largest_quantity, std::move(unit));
}
/// A number in ]0, maximum].
[[nodiscard]] inline ValueRule positive(std::string unit = {}, double maximum = largest_quantity) {
  ValueRule out = number(0, maximum, std::move(unit));
  out.above_zero = true;
  return out;
}
[[nodiscard]] inline ValueRule text(std::string pattern = {}) {
  return {.kind = ValueRule::Kind::text, .pattern = std::move(pattern)};
}
[[nodiscard]] inline ValueRule path() { return {.kind = ValueRule::Kind::path}; }
[[nodiscard]] inline ValueRule word(std::vector<std::string> words) {
  return {.kind = ValueRule::Kind::word, .words = std::move(words)};
}
[[nodiscard]] inline ValueRule array(ValueRules items, std::size_t min_items = 0,
                                     std::size_t max_items = ValueRule::unlimited) {
  return {.kind = ValueRule::Kind::array,
          .min_items = min_items,
          .max_items = max_items,
          .items = std::move(items)};
}
[[nodiscard]] inline ValueRule object(KeysFunction keys) {
  return {.kind = ValueRule::Kind::object, .keys = keys};
}
/// An object whose names the user chooses.
[[nodiscard]] inline ValueRule map(ValueRules items, std::string pattern = {}, std::size_t min_items = 0) {
  return {.kind = ValueRule::Kind::map,
          .pattern = std::move(pattern),
          .min_items = min_items,
          .items = std::move(items)};
}
[[nodiscard]] inline ValueRule null() { return {.kind = ValueRule::Kind::null}; }
[[nodiscard]] inline ValueRule any() { return {}; }

}  // namespace rule

}  // namespace factosim
