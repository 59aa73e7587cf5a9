#include "platforms/python_package.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "factosim/error.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/os/process_pool.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Returns what runs the part of the package that this program comes with; empty if the part is not there.
std::string runner_of(std::string_view part) {
  for (fs::path const& folder : program_folders())
    for (char const* const above : {"", "simulator/front/python/factosim"}) {
      std::error_code ignored;
      fs::path const package = folder / above;
      if (fs::is_regular_file(package / part / "command.py", ignored)) return (package / "_tool.py").string();
    }
  return {};
}

}  // namespace

std::vector<std::string> python_command(PythonPackage const& package, std::string const& where) {
  std::string const runner = runner_of(package.folder), part(package.folder);
  if (runner.empty())
    throw InputError(where, fmt::format("cannot be {} (the package factosim.{} is not where this program "
                                        "is). Install factosim again{}",
                                        package.action, package.folder, package.otherwise));
  std::vector<std::string> interpreters{"python3", "/usr/bin/python3"};
  if (char const* const chosen = std::getenv("FACTOSIM_PYTHON")) interpreters = {chosen};
  std::string why(package.without_python);
  for (std::string const& interpreter : interpreters) {
    FinishedProgram const check = run_program({interpreter, "-B", runner, part, "--check"}, "");
    if (check.started && check.exit_code == 0) return {interpreter, "-B", runner, part};
    if (check.started && why == package.without_python)
      why = fmt::format("{}, which {} does not have", package.needs, interpreter);
  }
  throw InputError(where, fmt::format("cannot be {} ({}). Install it (Debian: {}), name an interpreter that "
                                      "has it in FACTOSIM_PYTHON{}",
                                      package.action, why, package.install, package.otherwise));
}

std::string run_in_python(PythonPackage const& package, std::vector<std::string> const& arguments,
                          std::string_view input, std::string const& where) {
  std::vector<std::string> command = python_command(package, where);
  command.insert(command.end(), arguments.begin(), arguments.end());
  FinishedProgram done = run_program(command, input);
  if (done.exit_code == 0) return std::move(done.out);
  std::string_view line = done.err;
  while (line.ends_with('\n')) line.remove_suffix(1);
  line.remove_prefix(line.rfind('\n') + 1);
  if (auto const colon = line.find(": "); done.exit_code == 2 && colon != line.npos)
    throw InputError(std::string(line.substr(0, colon)), std::string(line.substr(colon + 2)));
  throw InputError(where, fmt::format("cannot be {} (Python ended with {}: {}). Check its installation{}",
                                      package.action, done.exit_code, line, package.otherwise));
}

}  // namespace factosim
