#pragma once

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

/// A list of values, or {"from", "to", "step"} or {"from", "to", "factor"}.
[[nodiscard]] std::vector<nlohmann::json> read_sweep_values(JsonReader const& json);

/// A value in few characters: text and numbers as they are, {"type": X} as X, anything else as JSON.
[[nodiscard]] nlohmann::json shown_in_table(nlohmann::json const& value);

}  // namespace factosim
