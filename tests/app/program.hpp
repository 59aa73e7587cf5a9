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

/// What a shell script gave, whose first argument is the built program.
inline ProgramRun run_script(std::string const& script) {
  TemporaryFolder const folder;
  std::string const command = "sh '" + folder.write("script", script).string() + "' '" + program() + "' >'" +
                              (folder / "out").string() + "' 2>'" + (folder / "err").string() +
                              "' </dev/null";
  int const status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder / "out"), text_of(folder / "err")};
}

/// Runs the built program with the given arguments (as a shell reads them) in a process of its own.
inline ProgramRun run_factosim(std::string const& arguments) {
  return run_script("\"$1\" " + arguments + "\n");
}

/// With sanitizers, a process reserves more addresses than any `ulimit -v` allows.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace factosim::testing
