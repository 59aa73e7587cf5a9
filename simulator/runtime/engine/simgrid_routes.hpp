#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/route_table.hpp"

namespace factosim {

/// Reads a platform file into SimGrid's engine of this process, which must not exist yet. These functions are
/// part of SimGrid's module: see `SimGrid` for their results.
[[nodiscard]] std::vector<std::string> simgrid_hosts(std::filesystem::path const& file);
[[nodiscard]] RouteTable simgrid_routes(std::filesystem::path const& file,
                                        std::vector<std::string> const& names);

}  // namespace factosim
