#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace factosim {

/// Returns a scenario of folder `from` for folder `to`: relative paths name the same files, names of shipped files remain.
[[nodiscard]] nlohmann::ordered_json moved_scenario(nlohmann::ordered_json scenario,
                                                    std::filesystem::path const& from,
                                                    std::filesystem::path const& to);

}  // namespace factosim
