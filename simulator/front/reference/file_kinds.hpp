#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// A kind of JSON file with a table of keys.
struct FileKind {
  std::string_view name;  // "scenario"
  KeysFunction keys;
};

/// All kinds, in the order of the reference.
[[nodiscard]] std::vector<FileKind> const& file_kinds();

/// Returns the name of a table in anchors and definitions: its title with hyphens for spaces.
[[nodiscard]] std::string slug(ObjectKeys const& table);

/// Returns the tables that a table's values refer to, directly, in order.
[[nodiscard]] std::vector<KeysFunction> tables_within(ObjectKeys const& table);

/// Returns the unit of a value or of its elements; empty without one.
[[nodiscard]] std::string unit_of(ValueRules const& rules);

}  // namespace factosim
