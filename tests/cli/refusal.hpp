#pragma once

#include "tests/cli/program.hpp"

namespace factosim::testing {

/// Checks that the program has refused an input: exit code 2, no output, and one line with the position and the reason.
inline void check_refused(ProgramRun const& run, std::string const& where, std::string const& why) {
  CAPTURE_ALL(run.err, where, why);
  CHECK(run.code == 2);
  CHECK(run.out.empty());
  CHECK(says(run, where));
  CHECK(says(run, why));
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
}

}  // namespace factosim::testing
