#pragma once

#include <string>

namespace factosim {

std::string version();
/// Returns the commit that the program was built from, with "-dirty" if files had changed; "unknown" outside
/// a checkout.
std::string git_revision();

}  // namespace factosim
