#include "simulator/cli/command_line.hpp"

#include <fmt/format.h>

#include "factosim/error.hpp"

namespace factosim {

void add_scenario_arguments(CLI::App& command, ScenarioArguments& arguments) {
  command.add_option("scenario", arguments.file, "Scenario file (JSON)")->required();
  command
      .add_option("--set", arguments.settings,
                  "Override a key of the scenario, such as /application/nt=50; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--json", arguments.json, "Print the result as JSON on standard output");
}

void add_force_large(CLI::App& command, bool& force_large) {
  command.add_flag("--force-large", force_large,
                   "Begin even where more memory is likely to be needed than there is");
}

void warn_of(std::vector<Finding> const& findings) {
  for (Finding const& finding : findings) fmt::print(stderr, "warning: {}\n", finding.text());
  if (!findings.empty())
    fmt::print(stderr, "{} findings: check them before you trust results\n", findings.size());
}

void refuse_to_overwrite(std::filesystem::path const& file, bool force) {
  if (!force && std::filesystem::exists(file))
    throw InputError(file.string() + "#",
                     "exists already (it would be overwritten). Choose another name, or give --force");
}

void make_folder(std::filesystem::path const& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(folder.string() + "#",
                     fmt::format("cannot be created ({}). Give a folder you may write to", error.message()));
}

}  // namespace factosim
