#include "tests/cli/program.hpp"

#include <sys/wait.h>

namespace factosim::testing {

ProgramRun run_script(std::string const& script) {
  TemporaryFolder const folder;
  std::string const command = "sh '" + folder.write("script", script).string() + "' '" + program() + "' >'" +
                              (folder / "out").string() + "' 2>'" + (folder / "err").string() +
                              "' </dev/null";
  int const status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder / "out"), text_of(folder / "err")};
}

ProgramRun run_factosim(std::string const& arguments) { return run_script("\"$1\" " + arguments + "\n"); }

nlohmann::json json_of(ProgramRun const& run) {
  REQUIRE_MESSAGE(run.code == 0, run.err);
  return nlohmann::json::parse(run.out);
}

nlohmann::json json_of(std::string const& arguments) { return json_of(run_factosim(arguments)); }

}  // namespace factosim::testing
