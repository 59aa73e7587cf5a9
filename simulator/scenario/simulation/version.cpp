#include "factosim/version.hpp"

#include "factosim_version.hpp"  // made by the build

namespace factosim {

std::string version() { return FACTOSIM_VERSION; }
std::string git_revision() { return FACTOSIM_GIT_REVISION; }

}  // namespace factosim
