// Every factosim command in the documentation works as shown.

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

/// Returns the lines that start with "factosim " in the shell blocks of a page.
std::vector<std::string> commands_in(std::filesystem::path const& page) {
  std::vector<std::string> commands;
  std::istringstream lines(testing::text_of(page));
  bool in_shell = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) in_shell = !in_shell && line == "```sh";
    if (in_shell && line.starts_with("factosim "))
      commands.push_back(line.substr(std::string("factosim ").size()));
  }
  return commands;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("the commands of the documentation run in the order of the page") {
    std::size_t count = 0;
    for (std::string const page :
         {"README.md", "scenarios/README.md", "scenarios/sweeps.md", "scenarios/traces.md",
          "scenarios/reports.md", "distributions/README.md", "models/README.md", "platforms/README.md",
          "scenarios/exageostat_icpp21/README.md", "scenarios/balance/README.md",
          "scenarios/het_grid/README.md", "scenarios/ring/README.md", "scenarios/wire/README.md",
          "simulator/README.md", "simulator/trace/README.md", "simulator/audit/README.md",
          "simulator/sched/README.md", "tests/README.md", "tests/fidelity/README.md"}) {
      CAPTURE(page);
      testing::TemporaryFolder const folder;  // with the project's folders, and its own results
      for (std::string const name : {"scenarios", "platforms", "models"})
        std::filesystem::create_directory_symlink(testing::repository() / name, folder / name);
      std::filesystem::current_path(folder / "");
      for (std::string const& command : commands_in(testing::repository() / page)) {
        CAPTURE(command);
        testing::ProgramRun const run = testing::run_factosim(command);
        CAPTURE(run.err);
        CHECK(run.code == 0);
        ++count;
      }
      std::filesystem::current_path(testing::repository());
    }
    CHECK(count >= 6);
  }

  TEST_CASE("the first summary of the README equals the program's output") {
    std::string const readme = testing::text_of(testing::repository() / "README.md");
    testing::ProgramRun const run = testing::run_factosim(
        "run '" + (testing::repository() / "scenarios/first/lu_mirage.json").string() + "'");
    std::string const printed = run.out.substr(0, run.out.find("simulated in"));
    CHECK_MESSAGE(readme.find(printed) != std::string::npos, printed);
  }
}
