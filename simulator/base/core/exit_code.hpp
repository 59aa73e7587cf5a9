#pragma once

#include <stdexcept>
#include <string>

namespace factosim {

/// Exit codes of the program, which are part of its public interface, and of its child processes.
enum class ExitCode : int {
  success = 0,
  bad_input = 2,         // InputError, and exhausted memory
  internal_error = 3,    // everything else
  infeasible = 4,        // InfeasibleError
  out_of_tolerance = 5,  // ToleranceError
};

/// Exit code and message of an exception.
struct Failure {
  ExitCode code = ExitCode::internal_error;
  std::string message;
  bool limited = false;  // memory, processes or files were exhausted: the same input may do elsewhere
};

/// The work in a child process failed with this exit code.
class ChildFailure : public std::runtime_error {
 public:
  explicit ChildFailure(Failure const& failure)
      : std::runtime_error(failure.message), code_(failure.code), limited_(failure.limited) {}
  [[nodiscard]] Failure failure() const { return {code_, what(), limited_}; }

 private:
  ExitCode code_;
  bool limited_;
};

/// Describes the exception that is being handled. To be called inside a `catch` block only.
[[nodiscard]] Failure current_failure();

}  // namespace factosim
