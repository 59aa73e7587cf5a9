#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace factosim {

/// Throws InputError for text that the JSON library refuses at a byte, from 1, with its message `words`: "FILE:LINE:COLUMN:
/// is not valid JSON (the mistake). what to do. The line: ...". Columns count characters from 1, as editors do. A key that
/// stands twice in one object is a mistake.
[[noreturn]] void refuse_json(std::string const& file, std::string_view text, std::size_t byte,
                              std::string_view words);

}  // namespace factosim
