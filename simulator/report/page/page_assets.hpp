#pragma once

#include <string_view>

namespace factosim {

/// Return the style sheet and the program of the page, built by `web/build.sh` from `web/source`.
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_program();

}  // namespace factosim
