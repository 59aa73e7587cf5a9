#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simulator/core/json_reader.hpp"

namespace factosim {

/// One key of a scenario and what a point gives it.
struct SweepSetting {
  std::string pointer;   // JSON pointer into the scenario
  nlohmann::json value;  // null: the key is left out
  nlohmann::json shown;  // in tables: the value's label, or a short form of it
};

/// Keys that are set together, and columns of tables that go with them.
struct SweepChoice {
  std::vector<SweepSetting> settings;                            // in the order in which they apply
  std::vector<std::pair<std::string, nlohmann::json>> labels{};  // by name
};

/// The points of a sweep before filters: choices, or several spaces combined. Points are numbered; none is
/// stored.
class SweepSpace {
 public:
  enum class Kind : std::uint8_t { choices, product, zip, chain };

  explicit SweepSpace(std::vector<SweepChoice> choices) : choices_(std::move(choices)) {}
  SweepSpace(Kind kind, std::vector<SweepSpace> parts) : kind_(kind), parts_(std::move(parts)) {}

  /// At most UINT64_MAX, which also stands for more.
  [[nodiscard]] std::uint64_t count() const;
  /// Point `index` < count(); the last part of a product varies fastest.
  [[nodiscard]] SweepChoice at(std::uint64_t index) const;

 private:
  Kind kind_ = Kind::choices;
  std::vector<SweepChoice> choices_;
  std::vector<SweepSpace> parts_;
};

/// Reads "points" of a sweep. Throws InputError where it is malformed or has no point.
[[nodiscard]] SweepSpace read_sweep_space(JsonReader const& json);

/// A list of values, or {"from", "to", "step"} or {"from", "to", "factor"}.
[[nodiscard]] std::vector<nlohmann::json> read_sweep_values(JsonReader const& json);

/// A value in few characters: text and numbers as they are, {"type": X} as X, anything else as JSON.
[[nodiscard]] nlohmann::json shown_in_table(nlohmann::json const& value);

}  // namespace factosim
