#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/data/test_files.hpp"

namespace factosim::testing {

/// What a run of the program gave.
struct ProgramRun {
  int code = 0;
  std::string out, err;
};

/// Runs the built program with the given arguments (as a shell reads them) in a process of its own.
inline ProgramRun run_factosim(std::string const& arguments) {
  TemporaryFolder const folder;
  std::string const command = "'" FACTOSIM_PROGRAM "' " + arguments + " >'" + (folder / "out").string() +
                              "' 2>'" + (folder / "err").string() + "' </dev/null";
  int const status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder / "out"), text_of(folder / "err")};
}

}  // namespace factosim::testing
