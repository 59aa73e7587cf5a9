#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace factosim {

/// Returns the title of a run whose scenario has no name, from the options in its result: "lu, 40 x 40 tiles of
/// 960, 1d1d, 16 chifflet + 30 chetemi". "" if the result has no options.
[[nodiscard]] std::string title_of_result(nlohmann::ordered_json const& result);

/// Returns the title of a run that only has a path: its last two names, the folder and the file.
[[nodiscard]] std::string title_of_path(std::string_view path);

}  // namespace factosim
