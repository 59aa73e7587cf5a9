#pragma once

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

/// Reads a list of values, or {"from", "to", "step"} or {"from", "to", "factor"}.
[[nodiscard]] std::vector<nlohmann::json> read_sweep_values(JsonReader const& json);

/// Returns a short form of a value: text and numbers unchanged, {"type": X} as X, anything else as JSON.
[[nodiscard]] nlohmann::json shown_in_table(nlohmann::json const& value);

/// Reads {"nodes": [{"type", "count"}, ...]}: sets of nodes. A count is a number or a list. Lists go pairwise and have
/// the same length, or with "combine": "product" all their values are combined, without the set of no node; the sets
/// become "/platform/nodes", and a count of 0 omits a type. Throws InputError.
[[nodiscard]] std::vector<SweepChoice> read_strong_scaling(JsonReader const& json);

/// Strong scaling with a matrix that grows with the number of nodes, from "nt" tiles per side for the first
/// set. "constant" is "memory" (nt^2 per node, the default) or "work" (nt^3 per node). Throws InputError.
[[nodiscard]] std::vector<SweepChoice> read_weak_scaling(JsonReader const& json);

}  // namespace factosim
