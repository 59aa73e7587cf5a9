#include "tests/data/test_files.hpp"

namespace factosim::testing {

std::filesystem::path repository() { return FACTOSIM_REPOSITORY; }
std::string program() { return FACTOSIM_PROGRAM; }

}  // namespace factosim::testing
