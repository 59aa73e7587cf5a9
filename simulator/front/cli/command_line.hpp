#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/base/os/output_files.hpp"
#include "simulator/front/cli/messages.hpp"
#include "simulator/front/cli/usage.hpp"

namespace factosim {

/// Each adds one command to the program; its callback executes the command and may throw.
void add_run_command(CLI::App& program);
void add_bounds_command(CLI::App& program);
void add_distribute_command(CLI::App& program);
void add_import_command(CLI::App& program);
void add_calibrate_command(CLI::App& program);
void add_sweep_command(CLI::App& program);
void add_advise_command(CLI::App& program);
void add_schedule_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_reference_command(CLI::App& program);
void add_report_command(CLI::App& program);
void add_check_command(CLI::App& program);
void add_list_command(CLI::App& program);
void add_platform_command(CLI::App& program);
/// Adds `starpu-platform` to `factosim import`.
void add_import_platform_command(CLI::App& import);
void add_init_command(CLI::App& program);
void add_validate_command(CLI::App& program);
/// Explains the commands that the program has when it is called.
void add_help_command(CLI::App& program);

/// Arguments common to commands on a scenario.
struct ScenarioArguments {
  std::filesystem::path file;
  std::vector<std::string> settings;
  bool json = false;
  bool force_large = false;
};

/// Adds options to a command. An option that several commands have is stated here, with its name and its help. `shown`:
/// what the help prints as its value.
class CommandOptions {
 public:
  explicit CommandOptions(CLI::App& command) : command_(&command) {}

  template <class Value>
  CLI::Option* add(std::string const& name, Value& value, std::string const& help) {
    return command_->add_option(name, value, help);
  }
  template <class Value>
  CLI::Option* add(std::string const& name, Value& value, std::string const& help, std::string const& shown) {
    return add(name, value, help)->type_name(shown);
  }
  template <class Value>
  CLI::Option* path(std::string const& name, Value& value, std::string const& help) {
    return add(name, value, help, "PATH");
  }
  /// An option that takes one of the names, or several with commas between.
  template <class Value>
  CLI::Option* choice(std::string const& name, Value& value, std::string const& help,
                      std::vector<std::string> names) {
    return add(name, value, help)->check(one_of(std::move(names)));
  }
  template <class Value>
  CLI::Option* choices(std::string const& name, Value& values, std::string const& help,
                       std::vector<std::string> names) {
    return choice(name, values, help, std::move(names))->delimiter(',');
  }
  template <class Value>
  CLI::Option* positive(std::string const& name, Value& value, std::string const& help) {
    return add(name, value, help)->check(CLI::PositiveNumber);
  }
  template <class Value, class Limit>
  CLI::Option* range(std::string const& name, Value& value, std::string const& help, Limit low, Limit high) {
    return add(name, value, help)->check(CLI::Range(low, high));
  }
  CLI::Option* flag(std::string const& name, bool& value, std::string const& help) {
    return command_->add_flag(name, value, help);
  }

  /// An option that may be repeated, with one value each time.
  CLI::Option* repeated(std::string const& name, std::vector<std::string>& values, std::string const& help,
                        std::string const& shown);
  void json(bool& value, std::string const& help = "Print the result as JSON on standard output");
  void force(bool& value, std::string const& help = "Replace files that are there already");
  /// --force-large, for commands that create the tasks.
  void force_large(bool& value);
  /// --jobs: how many `things` run at once, "Simulations".
  void jobs(int& value, std::string_view things);
  /// The scenario, --set and --json.
  void scenario(ScenarioArguments& arguments);
  /// --output, which has to be given; `help`: what it is.
  void output(std::filesystem::path& value, std::string const& help = "File to write; - for standard output");
  void provenance(std::string& value);
  /// --host and --name, each for one machine or several.
  void hosts(std::vector<std::string>& hosts, std::vector<std::string>& names);

 private:
  CLI::App* command_;
};

/// Adds a command that calls `execute` with its arguments. Returns its options and the arguments that they set.
template <class Arguments>
std::pair<CommandOptions, Arguments&> add_command(CLI::App& parent, std::string const& name,
                                                  std::string const& description,
                                                  void (*execute)(Arguments const&),
                                                  std::string const& footer) {
  auto const arguments = std::make_shared<Arguments>();
  CLI::App* const command = parent.add_subcommand(name, description);
  command->footer(footer);
  command->callback([arguments, execute] { execute(*arguments); });
  return {CommandOptions(*command), *arguments};
}

/// Throws InputError unless there is no name, or one for each host.
void check_names(std::vector<std::string> const& names, std::size_t hosts);

/// Prints JSON, indented, as the result of a command.
void print_json(nlohmann::ordered_json const& json);

/// Writes a file and the folder that it is in; nothing if the path is empty. Throws InputError.
void write_output(std::filesystem::path const& file, std::string const& text);

/// Prints a line about a written file on standard output, or as a note if the file itself went there ("-").
void print_written(std::filesystem::path const& file, std::string_view text);

}  // namespace factosim
