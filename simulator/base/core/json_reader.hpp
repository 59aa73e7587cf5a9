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

#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// Returns whether a value exceeds InputLimit::nesting, which limits the stack that recursive printing needs.
[[nodiscard]] bool too_deep(nlohmann::json const& value);

/// Returns the message of an error of the JSON library without its internal code.
[[nodiscard]] std::string plain_text(nlohmann::json::exception const& error);

/// While it lives, readers in its thread collect the mistakes in single values, missing and unknown keys instead of
/// throwing at the first, and go on with a value that is allowed. Other errors are thrown as always. At most one
/// collects at a time.
class ProblemCollection {
 public:
  ProblemCollection();
  ~ProblemCollection();
  ProblemCollection(ProblemCollection const&) = delete;
  ProblemCollection& operator=(ProblemCollection const&) = delete;

  /// Adds a message; of several about one place, the first is kept.
  void add(std::string const& where, std::string_view message);
  [[nodiscard]] std::vector<std::string> const& messages() const { return messages_; }

 private:
  std::set<std::string> places_;
  std::vector<std::string> messages_;
};

/// A key that every object may have, for remarks: nothing reads it.
constexpr char const* comment_key = "$comment";

/// Parses a file strictly: no duplicate keys, no comments, no trailing text, within the limits of
/// inputs. "-" is standard input.
/// Throws InputError that names file, line and column.
nlohmann::json parse_json_file(std::filesystem::path const& file);
/// Parses a file that `parse_json_file` has accepted again, with its keys in the order of the file.
nlohmann::ordered_json parse_json_file_in_order(std::filesystem::path const& file);

/// A view of one JSON value and its place in the file, so that errors read
/// `FILE#/json/pointer: problem (why). remedy`. Records which keys of an object were requested: `finish()`
/// rejects the others, `"$comment"` aside. A reader with a table of keys accepts what the table says; to ask it for
/// another key, or for a value of another kind, is a violation of its contract.
class JsonReader {
 public:
  JsonReader(nlohmann::json const& value, std::string file, std::string pointer = "");
  /// `rules`, which must outlive the reader, say what the value may be.
  JsonReader(nlohmann::json const& value, std::string file, std::string pointer, ValueRules const* rules);

  /// Returns this reader with those rules, unless it has rules already, which must then be the same.
  [[nodiscard]] JsonReader by(ValueRules (*rules)()) const;

  /// Returns a required member; the error message describes it with the second argument.
  [[nodiscard]] JsonReader at(std::string const& key, std::string_view meaning = "") const;
  [[nodiscard]] std::optional<JsonReader> find(std::string const& key) const;

  /// Returns the elements of an array, in order.
  [[nodiscard]] std::vector<JsonReader> elements() const;
  /// Returns the members of an object, in key order, without comments; all count as requested.
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
  /// Returns a finite number. Here and below, text with a unit ("20 us") is one where the rule of this value has a unit.
  [[nodiscard]] double number() const;
  /// Returns a number, an integer or a keyword that the rule of this value accepts.
  [[nodiscard]] double quantity() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::string one_of() const;
  /// Returns one of the words that the rule of this value accepts; any text without such a rule.
  [[nodiscard]] std::string text() const;
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
  /// Checks `"format"` and `"version"` of a file that the program has written: both must be there.
  void check_format(std::string const& format, int version) const;
  /// Checks `"format"` and `"version"` of a file that a user writes: they may be left out. Accepts `"$schema"`.
  void check_own_format(std::string const& format, int version) const;

  [[noreturn]] void fail(std::string_view problem_why_remedy) const;

  [[nodiscard]] nlohmann::json const& value() const { return *value_; }
  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] std::string where() const { return file_ + "#" + pointer_; }

 private:
  /// Returns true if the value is an object; otherwise reports it.
  bool expect_object() const;
  /// Reports a mistake in this value: throws, or adds it to the collection.
  void report(std::string_view problem_why_remedy) const;
  /// Returns the number that text with a unit states, where the rule of this value, a number of that kind, has a unit.
  [[nodiscard]] std::optional<double> stated(ValueRule::Kind kind) const;
  [[nodiscard]] ValueRule const* rule_of_kind(ValueRule::Kind kind) const;
  [[nodiscard]] ValueRules const* rules_of_key(std::string const& key) const;
  [[nodiscard]] ValueRules const* rules_of_member(std::string const& key) const;
  [[nodiscard]] ValueRules const* rules_of_elements() const;
  void expect_all_asked() const;

  nlohmann::json const* value_;
  std::string file_;
  std::string pointer_;
  std::shared_ptr<std::set<std::string>> asked_;  // requested keys, shared by copies
  ValueRules const* rules_ = nullptr;             // null: none
  std::shared_ptr<ValueRules const> own_rules_;   // empty: `rules_` belongs to somebody else
};

}  // namespace factosim
