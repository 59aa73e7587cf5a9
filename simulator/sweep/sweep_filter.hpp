#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/core/json_reader.hpp"

namespace factosim {

/// What a filter may ask about a point.
struct FilteredPoint {
  nlohmann::json const& scenario;
  std::map<std::string, std::int64_t> const& nodes;  // by type
  std::vector<std::pair<std::string, nlohmann::json>> const& labels;
};

/// Whether a point is kept.
using SweepFilter = std::function<bool(FilteredPoint const&)>;

/// Reads a condition: [operator, operand, ...]. Comparisons: == != < <= > >= in; logic: and or not; numbers:
/// + - * / %. Operands: conditions, numbers, text, "/json/pointer" into the scenario (null where it has no
/// such key), ["nodes"] or ["nodes", TYPE], how many nodes there are, and
/// ["label", NAME]. Throws InputError; so does the
/// filter where an operand is no number.
[[nodiscard]] SweepFilter read_sweep_filter(JsonReader const& json);

}  // namespace factosim
