#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace factosim {

/// Returns whether the members, or elements, of the value of a key stand on lines of their own. `parent` is the key of the
/// object that has the key; both are empty for a whole document.
using InLines = bool (*)(std::string_view parent, std::string_view key);

/// Returns JSON as the text of a file that people read: what `in_lines` says on lines of its own, unless it is inside of what is
/// on one line. Numbers have the fewest digits that are read back as the same double, and whole ones no point.
[[nodiscard]] std::string json_file_text(nlohmann::ordered_json const& document, InLines in_lines);

}  // namespace factosim
