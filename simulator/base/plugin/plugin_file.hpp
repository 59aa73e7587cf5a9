#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace factosim {

/// Returns whether a name in a scenario denotes a shared library.
[[nodiscard]] inline bool is_plugin(std::string_view name) { return name.ends_with(".so"); }

/// A shared library that a scenario names.
struct PluginFile {
  std::string where;           // place of its name, for messages: "lu.json#/scheduler/type"
  std::string name;            // as in the scenario: "./mine.so"
  std::filesystem::path path;  // from the working folder
};

}  // namespace factosim
