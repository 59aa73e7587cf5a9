#pragma once

#include <string_view>

namespace factosim {

/// The style sheet and the program of a report's page, as `web/build.sh` makes them from `web/source`.
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_program();

}  // namespace factosim
