#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simulator/core/json_reader.hpp"

namespace factosim {

/// A key of a scenario and its value in a point.
struct SweepSetting {
  std::string pointer;   // JSON pointer into the scenario
  nlohmann::json value;  // null: the key is removed
  nlohmann::json shown;  // value in tables: the label, or a short form
};

/// Keys that are set together, and the columns of tables that belong to them.
struct SweepChoice {
  std::vector<SweepSetting> settings;  // in order of application
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
  /// Returns point `index` < count(); the last factor of a product varies fastest.
  [[nodiscard]] SweepChoice at(std::uint64_t index) const;

 private:
  Kind kind_ = Kind::choices;
  std::vector<SweepChoice> choices_;
  std::vector<SweepSpace> parts_;
};

/// Reads "points" of a sweep. Throws InputError if it is malformed or empty.
[[nodiscard]] SweepSpace read_sweep_space(JsonReader const& json);

/// A list of values, or {"from", "to", "step"} or {"from", "to", "factor"}.
[[nodiscard]] std::vector<nlohmann::json> read_sweep_values(JsonReader const& json);

/// Returns a short form of a value: text and numbers unchanged, {"type": X} as X, anything else as JSON.
[[nodiscard]] nlohmann::json shown_in_table(nlohmann::json const& value);

}  // namespace factosim
