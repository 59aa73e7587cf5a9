#pragma once

#include <string>

namespace factosim {

/// Returns the reference of all keys as Markdown.
[[nodiscard]] std::string reference_page();

}  // namespace factosim
