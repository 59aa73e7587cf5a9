#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// A kind of JSON file: the reference, JSON Schema, `validate` and the installed schemas are about these.
struct FileKind {
  using Read = std::function<void(nlohmann::json const&, std::filesystem::path const&)>;

  std::string_view name;    // in commands and schemas: "kernels"; the key "format" is then "factosim-kernels"
  std::string_view called;  // in messages: "kernel model"
  KeysFunction keys;
  std::vector<std::string_view>
      marks{};   // files of this kind have one of these keys, those of kinds before have none
  Read read{};   // reports mistakes in keys and values; empty: only the program writes such files
  Read check{};  // reports what a file cannot do that has been read
};

/// All kinds, in the order of the reference.
[[nodiscard]] std::vector<FileKind> const& file_kinds();

/// Returns the JSON Schema (draft 2020-12) of a kind of file. It accepts what the reader accepts but for conditions
/// between several values, which only the reader checks.
[[nodiscard]] nlohmann::ordered_json json_schema(FileKind const& kind);

/// Returns the reference of all keys as Markdown.
[[nodiscard]] std::string reference_page();

/// Returns the name of a table in anchors and definitions: its title with hyphens for spaces.
[[nodiscard]] std::string slug(ObjectKeys const& table);

/// Returns the tables that a table's values refer to, directly, in order.
[[nodiscard]] std::vector<KeysFunction> tables_within(ObjectKeys const& table);

/// Returns the unit of a value or of its elements; empty without one.
[[nodiscard]] std::string unit_of(ValueRules const& rules);

}  // namespace factosim
