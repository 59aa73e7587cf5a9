#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace factosim {

/// Returns whether a value exceeds InputLimit::nesting, which limits the stack that recursive printing needs.
[[nodiscard]] bool too_deep(nlohmann::json const& value);

/// Parses a file strictly: no duplicate keys, no comments, no trailing text, within the limits of inputs.
/// Throws InputError that names file, line and column.
nlohmann::json parse_json_file(std::filesystem::path const& file);
/// Parses a file that `parse_json_file` has accepted again, with its keys in the order of the file.
nlohmann::ordered_json parse_json_file_in_order(std::filesystem::path const& file);

/// A view of one JSON value and its place in the file, so that errors read
/// `FILE#/json/pointer: problem (why). remedy`. Records which keys of an object were requested: `finish()`
/// rejects the others.
class JsonReader {
 public:
  JsonReader(nlohmann::json const& value, std::string file, std::string pointer = "");

  /// Returns a required member; the error message describes it with the second argument.
  [[nodiscard]] JsonReader at(std::string const& key, std::string_view meaning = "") const;
  [[nodiscard]] std::optional<JsonReader> find(std::string const& key) const;

  /// Returns the elements of an array, in order.
  [[nodiscard]] std::vector<JsonReader> elements() const;
  /// Returns the members of an object, in key order; all count as requested.
  [[nodiscard]] std::vector<std::pair<std::string, JsonReader>> members() const;

  [[nodiscard]] bool is_array() const { return value_->is_array(); }
  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  [[nodiscard]] bool is_string() const { return value_->is_string(); }
  [[nodiscard]] bool is_number() const { return value_->is_number(); }

  [[nodiscard]] std::string string() const;
  /// Returns the elements of an array of strings, in order.
  [[nodiscard]] std::vector<std::string> strings() const;
  /// Returns the path of a file; a relative path starts from the folder of the JSON file.
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] bool boolean() const;
  /// Returns a finite number.
  [[nodiscard]] double number() const;
  /// Returns a finite number > 0.
  [[nodiscard]] double positive() const;
  /// Returns a finite number >= 0.
  [[nodiscard]] double non_negative() const;
  /// Returns an integer in [minimum, maximum].
  [[nodiscard]] std::int64_t integer(std::int64_t minimum, std::int64_t maximum) const;
  /// Returns one of the given keywords.
  [[nodiscard]] std::string one_of(std::vector<std::string> const& words) const;

  /// Throws InputError if this object has members that were not requested.
  void finish() const;
  /// Checks `"format"` and `"version"`.
  void check_format(std::string const& format, int version) const;

  [[noreturn]] void fail(std::string_view problem_why_remedy) const;

  [[nodiscard]] nlohmann::json const& value() const { return *value_; }
  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] std::string where() const { return file_ + "#" + pointer_; }

 private:
  void expect_object() const;

  nlohmann::json const* value_;
  std::string file_;
  std::string pointer_;
  std::shared_ptr<std::set<std::string>> asked_;  // requested keys, shared by copies
};

}  // namespace factosim
