#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// A key of a scenario and its value in a point.
struct SweepSetting {
  std::string pointer;   // JSON pointer into the scenario
  nlohmann::json value;  // null: the key is removed
  nlohmann::json shown;  // value in tables: the label, or a short form
};

/// Keys that are set together, and the columns of tables that belong to them.
struct SweepChoice {
  std::vector<SweepSetting> settings;                            // in order of application
  std::vector<std::pair<std::string, nlohmann::json>> labels{};  // by name
};

/// Points of a sweep before filters: a list of choices, or a combination of spaces. Points are generated from
/// their index, not stored.
class SweepSpace {
 public:
  enum class Kind : std::uint8_t { choices, product, zip, chain };

  explicit SweepSpace(std::vector<SweepChoice> choices) : choices_(std::move(choices)) {}
  SweepSpace(Kind kind, std::vector<SweepSpace> parts) : kind_(kind), parts_(std::move(parts)) {}

  /// Saturates at UINT64_MAX.
  [[nodiscard]] std::uint64_t count() const;
  /// Returns an upper bound of the number of choices that differ in a single axis: sums instead of products.
  [[nodiscard]] std::uint64_t values() const;
  /// Returns point `index` < count(); the last factor of a product varies fastest.
  [[nodiscard]] SweepChoice at(std::uint64_t index) const;

 private:
  Kind kind_ = Kind::choices;
  std::vector<SweepChoice> choices_;
  std::vector<SweepSpace> parts_;
};

/// The keys of "points".
[[nodiscard]] ObjectKeys const& sweep_space_table();

/// Reads "points" of a sweep. Throws InputError if it is malformed or empty.
[[nodiscard]] SweepSpace read_sweep_space(JsonReader const& json);

/// Properties of a point that filters can use.
struct FilteredPoint {
  nlohmann::json const& scenario;
  std::map<std::string, std::int64_t> const& nodes;  // by type
  std::vector<std::pair<std::string, nlohmann::json>> const& labels;
};

/// Returns whether the point is kept.
using SweepFilter = std::function<bool(FilteredPoint const&)>;

/// Reads a condition: [operator, operand, ...]. Comparisons: == != < <= > >= in; logic: and or not; numbers:
/// + - * / %. Operands: conditions, numbers, text, "/json/pointer" into the scenario (null if the key does
/// not exist), ["nodes"] or ["nodes", TYPE] (number of nodes), and ["label", NAME]. Throws InputError; so
/// does the filter if an operand is not a number.
[[nodiscard]] SweepFilter read_sweep_filter(JsonReader const& json);

}  // namespace factosim
