#include "simulator/base/core/exit_code.hpp"

#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

Failure current_failure() {
  try {
    throw;
  } catch (InputError const& error) {
    return {ExitCode::bad_input, error.what()};
  } catch (InfeasibleError const& error) {
    return {ExitCode::infeasible, error.what()};
  } catch (ToleranceError const& error) {
    return {ExitCode::out_of_tolerance, error.what()};
  } catch (ChildFailure const& error) {
    return error.failure();
  } catch (std::filesystem::filesystem_error const& error) {
    return {ExitCode::bad_input, error.path1().string() + "#: cannot be used (" + error.code().message() +
                                     "). Check the path and its permissions"};
  } catch (std::bad_alloc const&) {
    return {ExitCode::bad_input,
            "the memory is exhausted (the machine, its control group or ulimit has no more). Use fewer tiles "
            "or nodes, or a machine with more memory",
            true};
  } catch (std::system_error const& error) {
    return {ExitCode::bad_input,
            std::string(error.what()) +
                " (a limit of the operating system, such as of processes or open files). Raise the limit "
                "(ulimit), or use fewer --jobs",
            true};
  } catch (nlohmann::json::exception const& error) {
    return {ExitCode::internal_error, "internal error: a JSON value is not what the program takes it for (" +
                                          plain_text(error) + "). Please report it with the input"};
  } catch (std::exception const& error) {
    return {ExitCode::internal_error, error.what()};
  } catch (...) {
    return {ExitCode::internal_error, "unknown error"};
  }
}

}  // namespace factosim
