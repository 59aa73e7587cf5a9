#pragma once

#include <string>
#include <string_view>

namespace factosim {

/// Escapes text for XML and HTML. Drops the control characters that XML cannot represent.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace factosim
