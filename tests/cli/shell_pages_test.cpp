// Manual pages and completions that the program writes.

#include <regex>

#include "tests/cli/program.hpp"

using namespace factosim;
using testing::run_factosim;
using testing::run_script;
using testing::TemporaryFolder;

TEST_SUITE("scenario") {
  TEST_CASE("every command has a manual page with all options of its help") {
    TemporaryFolder const folder;
    REQUIRE(run_factosim("help --pages '" + (folder / "share").string() + "'").code == 0);
    for (std::string const& command : testing::all_commands) {
      CAPTURE(command);
      std::string name = command.empty() ? "factosim" : "factosim-" + command;
      std::ranges::replace(name, ' ', '-');
      std::string page = testing::text_of(folder / ("share/man/man1/" + name + ".1"));
      CHECK(page.starts_with(".TH " + name + " 1"));
      page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
      std::string const help = run_factosim(command + " --help").out;
      std::regex const option(R"(\n  (?:-\w,)?(--[\w-]+))");
      for (std::sregex_iterator each(help.begin(), help.end(), option), end; each != end; ++each)
        CHECK_MESSAGE(testing::contains(page, (*each)[1].str()), (*each)[1].str());
    }
  }

  TEST_CASE("bash completes commands options and values") {
    TemporaryFolder const folder;
    REQUIRE(run_factosim("help --pages '" + (folder / "share").string() + "'").code == 0);
    std::string const script = (folder / "share/bash-completion/completions/factosim").string();
    auto const completed = [&](std::string const& words) {
      std::string const program =
          "source " + script + "; COMP_WORDS=(" + testing::program() + " " + words +
          "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _factosim; echo \"${COMPREPLY[*]}\"";
      return run_script("bash -c '" + program + "'\n").out;
    };
    CHECK(std::filesystem::exists(
        folder / "share/zsh/vendor-completions/_factosim"));  // which Debian's zsh searches below /usr
    CHECK(completed("ru") == "run\n");
    CHECK(completed("import starpu-p") == "starpu-platform\n");
    CHECK(completed("import starpu-model x --dr") == "--drop-implausible\n");
    CHECK(completed("sweep x --engine s") == "slurm\n");
    CHECK(completed("list p") == "platforms policies\n");
    CHECK(!testing::contains(completed("run x --nothing"), "--"));
    CHECK(completed("run x --set scheduler/ty") == "scheduler/type=\n");
    CHECK(completed("run x --set nt") == "nt=\n");
    CHECK(completed("report x --figure wo") == "workers\n");
    CHECK(completed("run x --set scheduler = dmdas") == "dmdas dmdasd\n");
    CHECK(completed("init --platform mir") == "mirage\n");
    CHECK(completed("advise x --schedulers hef") == "heft\n");
    CHECK(completed("help sett") == "settings\n");
  }
}
