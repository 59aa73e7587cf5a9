#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "factosim/platform.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// Reads a `factosim-platform` file strictly. `nodes`, a list of {"type", "count"} that may stand in
/// another file, replaces the file's own. Without any list, a file of one node type means one node of it.
/// Node types are kept in the order of their names; paths of kernel files are resolved against the file's
/// folder.
Platform read_platform(std::filesystem::path const& file,
                       std::optional<JsonReader> const& nodes = std::nullopt);

/// The `factosim-platform` text of a platform for a file in `folder`, in a fixed order, one link or route a
/// line. Runs of nodes of one type become one entry of "nodes".
std::string platform_json(Platform const& platform, std::filesystem::path const& folder);

}  // namespace factosim
