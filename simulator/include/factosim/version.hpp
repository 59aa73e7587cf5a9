#pragma once

#include <string>

namespace factosim {

/// Returns the version of the library: "0.3.0".
[[nodiscard]] std::string version();

/// Returns the commit the library was built from, with "-dirty" if files had changed; "unknown" outside a
/// checkout.
[[nodiscard]] std::string git_revision();

}  // namespace factosim
