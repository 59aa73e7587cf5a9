#include "simulator/cli/command_line.hpp"

#include <fmt/format.h>

#include "factosim/error.hpp"
#include "simulator/core/input_files.hpp"
#include "simulator/os/atomic_file.hpp"
#include "simulator/trace/export/trace_formats.hpp"

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

namespace {

void refuse_existing(std::filesystem::path const& path, bool force) {
  std::error_code ignored;  // a path that cannot exist is refused when it is written
  if (!force && path != standard_stream && std::filesystem::exists(path, ignored))
    throw InputError(path.string() + "#",
                     "exists already (it would be overwritten). Choose another name, or give --force");
}

}  // namespace

void refuse_to_overwrite(std::filesystem::path const& file, bool force) {
  require_replaceable(file);
  refuse_existing(file, force);
}

void refuse_to_overwrite_trace(TraceFormat const& format, std::filesystem::path const& path, bool force) {
  if (format.folder && path == standard_stream)
    throw InputError("-#",
                     fmt::format("is standard output ({} is a folder of files). Give a folder", format.name));
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

void make_folder_of(std::filesystem::path const& file) {
  if (file.has_parent_path()) make_folder(file.parent_path());
}

void print_written(std::filesystem::path const& file, std::string_view text) {
  if (file == standard_stream)
    print_note(fmt::format("standard output: {}", text));
  else
    fmt::print("{}: {}\n", file.string(), text);
}

}  // namespace factosim
