#include "simulator/front/cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

CLI::Option* CommandOptions::repeated(std::string const& name, std::vector<std::string>& values,
                                      std::string const& help, std::string const& shown) {
  return add(name, values, help, shown)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandOptions::json(bool& value, std::string const& help) { flag("--json", value, help); }

void CommandOptions::force(bool& value, std::string const& help) { flag("--force", value, help); }

void CommandOptions::force_large(bool& value) {
  flag("--force-large", value,
       "Begin even where more memory is likely to be needed than there is, or very much time");
}

void CommandOptions::jobs(int& value, std::string_view things) {
  range("--jobs", value, fmt::format("{} at once; one a core by default", things), 1, 100'000);
}

void CommandOptions::scenario(ScenarioArguments& arguments) {
  path("scenario", arguments.file, "Scenario file (JSON), or - for standard input")->required();
  repeated("--set", arguments.settings,
           "Override a key of the scenario, such as nt=50 or /application/nt=50; may be repeated",
           "KEY=VALUE");
  json(arguments.json);
}

void CommandOptions::output(std::filesystem::path& value, std::string const& help) {
  path("-o,--output", value, help)->required();
}

void CommandOptions::provenance(std::string& value) {
  add("--provenance", value, "Who measured what, kept in the file", "TEXT");
}

void CommandOptions::hosts(std::vector<std::string>& hosts, std::vector<std::string>& names) {
  repeated("--host", hosts,
           "Name of the machine in the files (STARPU_HOSTNAME), if there are several; may be repeated",
           "NAME");
  repeated("--name", names, "Name to give the machine, instead of that of the host; one for each --host",
           "NAME");
}

void check_names(std::vector<std::string> const& names, std::size_t hosts) {
  if (!names.empty() && names.size() != hosts)
    throw InputError(
        "--name#",
        fmt::format("{} names for {} hosts (each machine has one). Give one for each --host, or none",
                    names.size(), hosts));
  for (std::string const& name : names)
    if (name.empty() || name.find('/') != std::string::npos || std::ranges::count(names, name) > 1)
      throw InputError("--name#", fmt::format("\"{}\" is no name for one machine (it must be unique, not "
                                              "empty, without slashes). Give another",
                                              name));
}

void print_json(nlohmann::ordered_json const& json) { fmt::print("{}\n", json_text(json, 2)); }

void write_output(std::filesystem::path const& file, std::string const& text) {
  if (file.empty()) return;
  make_folder_of(file);
  write_file_atomically(file, text);
}

void print_written(std::filesystem::path const& file, std::string_view text) {
  if (file == standard_stream)
    print_note(fmt::format("standard output: {}", text));
  else
    fmt::print("{}: {}\n", file.string(), text);
}

}  // namespace factosim
