#pragma once

#include <filesystem>
#include <string>

#include "factosim/platform.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// The keys of a `factosim-platform` file, and of "platform" of a scenario as an object.
[[nodiscard]] ObjectKeys const& platform_table();
[[nodiscard]] ObjectKeys const& platform_key_table();
/// What "platform" of a scenario may be.
[[nodiscard]] ValueRules platform_rules();
/// What a `factosim-platform` file may be.
[[nodiscard]] ValueRules platform_file_rules();
/// What a list of nodes may be: {"type", "count"}, ...
[[nodiscard]] ValueRule node_list_rule();

/// Reads a `factosim-platform` file strictly. Without a list of nodes, a file with one node type means one node of it. Node
/// types are sorted by name; paths of kernel files are resolved against the file's folder.
Platform read_platform(std::filesystem::path const& file);

/// Reads a `factosim-platform` file as `read_platform` does; without a list of nodes, it has one of each type.
Platform read_platform_types(std::filesystem::path const& file);

/// Reads what "platform" of a scenario may be: a name or a path, or an object that names a file or merges several, and
/// may add node types, a network and nodes. Types without nodes are left out. Throws InputError.
[[nodiscard]] Platform read_platform(JsonReader const& json);

/// Returns the `factosim-platform` text of a platform for a file in `folder`, in a fixed order, with one link or
/// route per line. Consecutive nodes of one type become one entry of "nodes".
std::string platform_json(Platform const& platform, std::filesystem::path const& folder);

}  // namespace factosim
