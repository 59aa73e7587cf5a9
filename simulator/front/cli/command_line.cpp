#include "simulator/front/cli/command_line.hpp"

#include <fmt/format.h>

#include "simulator/base/core/input_files.hpp"

namespace factosim {

void add_scenario_arguments(CLI::App& command, ScenarioArguments& arguments) {
  command.add_option("scenario", arguments.file, "Scenario file (JSON), or - for standard input")
      ->type_name("PATH")
      ->required();
  command
      .add_option("--set", arguments.settings,
                  "Override a key of the scenario, such as nt=50 or /application/nt=50; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--json", arguments.json, "Print the result as JSON on standard output");
}

void add_force_large(CLI::App& command, bool& force_large) {
  command.add_flag("--force-large", force_large,
                   "Begin even where more memory is likely to be needed than there is, or very much time");
}

void add_jobs(CLI::App& command, int& jobs, std::string_view things) {
  command.add_option("--jobs", jobs, fmt::format("{} at once; one a core by default", things))
      ->check(CLI::Range(1, 100'000));
}

void print_written(std::filesystem::path const& file, std::string_view text) {
  if (file == standard_stream)
    print_note(fmt::format("standard output: {}", text));
  else
    fmt::print("{}: {}\n", file.string(), text);
}

}  // namespace factosim
