#include "simulator/cli/command_line.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "factosim/error.hpp"
#include "simulator/core/plain_names.hpp"
#include "simulator/os/atomic_file.hpp"
#include "simulator/trace/export/trace_formats.hpp"

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
                   "Begin even where more memory is likely to be needed than there is, or very much time");
}

void print_message(std::string_view text) {
  std::string const line = on_one_line(text) + '\n';
  std::fputs(line.c_str(), stderr);  // no exception: standard error may be closed
}

void warn_of(std::vector<Finding> const& findings) {
  for (Finding const& finding : findings) print_message("warning: " + finding.text());
  if (!findings.empty())
    print_message(fmt::format("{} findings: check them before you trust results", findings.size()));
}

namespace {

void refuse_existing(std::filesystem::path const& path, bool force) {
  std::error_code ignored;  // a path that cannot exist is refused when it is written
  if (!force && std::filesystem::exists(path, ignored))
    throw InputError(path.string() + "#",
                     "exists already (it would be overwritten). Choose another name, or give --force");
}

}  // namespace

void refuse_to_overwrite(std::filesystem::path const& file, bool force) {
  require_replaceable(file);
  refuse_existing(file, force);
}

void refuse_to_overwrite_trace(TraceFormat const& format, std::filesystem::path const& path, bool force) {
  if (!format.folder) require_replaceable(path);
  refuse_existing(path, force);
}

void make_folder(std::filesystem::path const& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(folder.string() + "#",
                     fmt::format("cannot be created ({}). Give a folder you may write to", error.message()));
}

}  // namespace factosim
