#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

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
