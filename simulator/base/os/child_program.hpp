#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace factosim {

/// What a program did that was run to its end.
struct FinishedProgram {
  bool started = false;  // false: there is no such program
  int exit_code = -1;    // -1: it was ended by a signal
  std::string out, err;
};

/// Runs a program, found on the PATH unless its name has a slash, with this standard input, and waits for its end.
/// `command`: its name and arguments; no shell reads them. Throws std::system_error if the system refuses.
[[nodiscard]] FinishedProgram run_program(std::vector<std::string> const& command, std::string_view input);

}  // namespace factosim
