#pragma once

#include <string>

namespace factosim {

std::string version();
/// The commit the program was built from, with "-dirty" when files had changed; "unknown" outside a checkout.
std::string git_revision();

}  // namespace factosim
