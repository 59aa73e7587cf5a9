#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "simulator/base/core/finding.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/scenario/keys/removed.hpp"

namespace factosim {

/// Returns a check that an argument is one of the names. Its error names the nearest one, or what to use in place of a name
/// of an earlier version.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> names, std::optional<RemovedFrom> earlier = {});

/// Returns a check that an argument is a number from `low` to `high`, or above `low` if that is no member; `whole`: without
/// decimals. Not a number, and infinity, are none.
[[nodiscard]] CLI::Validator number_within(double low, double high, bool whole, bool without_low = false);

/// Returns the names of the commands that a program or a command has.
[[nodiscard]] std::vector<std::string> command_names(CLI::App const& app);

/// Returns the words that call a command: "factosim import starpu-model".
[[nodiscard]] std::string full_name(CLI::App const& command);

/// Returns the values that an option accepts; empty if these are not a fixed set.
[[nodiscard]] std::vector<std::string> choices_of(CLI::Option const& option);

/// Returns what may stand for the last of the words that are typed behind the program's name, one a line.
[[nodiscard]] std::string completions(CLI::App const& program, std::vector<std::string> typed);

/// Makes the help of a program and its commands fit a terminal, with placeholders such as PATH or N.
void set_help_format(CLI::App& program);

/// Throws InputError if the first words of the arguments name no command, and suggests one.
void check_command_words(CLI::App const& program, std::vector<std::string> const& arguments);

/// Returns the message about arguments that the parsed command does not accept. `arguments`: those of the program, in
/// order.
[[nodiscard]] std::string usage_message(CLI::App const& program, CLI::ParseError const& error,
                                        std::vector<std::string> const& arguments);

/// Adds --quiet, --verbose and --color, which decide what is printed to stderr, to a command.
void add_message_options(CLI::App& command);

/// Returns whether --verbose is given.
[[nodiscard]] bool is_verbose();

/// Print one line to stderr, in which control characters are shown escaped. Every command prints its messages by one
/// of these functions. With --quiet only errors are printed; notes are printed in full colour of the terminal.
void print_error(std::string_view text);
void print_warning(std::string_view text);  // without "warning: " at its begin
void print_note(std::string_view text);

/// Prints findings as warnings: those whose texts differ in numbers only on one line, with paths below the folder that
/// all have in common; with --verbose one by one with whole paths.
void warn_of(std::vector<Finding> const& findings);

/// A page of `factosim help` about something that several commands share.
struct HelpTopic {
  char const* name;
  char const* description;
  std::string text;
};
[[nodiscard]] std::vector<HelpTopic> const& help_topics();

/// Each adds one command to the program; its callback executes the command and may throw.
void add_run_command(CLI::App& program);
void add_bounds_command(CLI::App& program);
void add_distribute_command(CLI::App& program);
void add_import_command(CLI::App& program);
void add_convert_command(CLI::App& program);
void add_calibrate_command(CLI::App& program);
void add_sweep_command(CLI::App& program);
void add_advise_command(CLI::App& program);
void add_schedule_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_record_command(CLI::App& program);
void add_reference_command(CLI::App& program);
void add_report_command(CLI::App& program);
void add_check_command(CLI::App& program);
void add_list_command(CLI::App& program);
void add_platform_command(CLI::App& program);
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

template <class Value>
inline constexpr bool is_whole = std::is_integral_v<Value>;
template <class Value>
inline constexpr bool is_whole<std::optional<Value>> = is_whole<Value>;
template <class Value>
inline constexpr bool is_whole<std::vector<Value>> = is_whole<Value>;

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
    return add(name, value, help)->check(number_within(0, INFINITY, is_whole<Value>, true));
  }
  template <class Value, class Limit>
  CLI::Option* range(std::string const& name, Value& value, std::string const& help, Limit low, Limit high) {
    return add(name, value, help)
        ->check(number_within(static_cast<double>(low), static_cast<double>(high), is_whole<Value>));
  }
  /// An option that takes a size of data with its unit, as files do: "64GB" are 64 * 10^9 bytes, "64GiB" 64 * 2^30.
  CLI::Option* size(std::string const& name, std::optional<std::int64_t>& bytes, std::string const& help);
  /// An option whose text is given to a function.
  CLI::Option* read(std::string const& name, std::function<void(std::string const&)> const& reader,
                    std::string const& help, std::string const& shown) {
    return command_->add_option_function<std::string>(name, reader, help)->type_name(shown);
  }
  CLI::Option* flag(std::string const& name, bool& value, std::string const& help) {
    return command_->add_flag(name, value, help);
  }

  /// An option that may be repeated, with one value each time.
  CLI::Option* repeated(std::string const& name, std::vector<std::string>& values, std::string const& help,
                        std::string const& shown);
  void json(bool& value, std::string const& help = "Print the result as JSON on standard output") {
    flag("--json", value, help);
  }
  CLI::Option* force(bool& value, std::string const& help = "Replace files that are there already") {
    return flag("--force", value, help);
  }
  /// Puts the options that are added from now on under a heading of their own, after the common ones.
  void more();
  /// --force-large, for commands that create the tasks.
  void force_large(bool& value);
  /// --jobs: how many `things` run at once, "Simulations".
  void jobs(int& value, std::string_view things);
  /// The scenario, --set and --json.
  void scenario(ScenarioArguments& arguments);
  /// --output, which has to be given; `help`: what it is.
  void output(std::filesystem::path& value, std::string const& help = "File to write; - for standard output");
  void provenance(std::string& value);

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

/// Formats rows with aligned columns; the last column is not padded.
[[nodiscard]] std::string aligned(std::vector<std::vector<std::string>> const& rows);

/// Prints JSON, indented, as the result of a command.
void print_json(nlohmann::ordered_json const& json);

/// Writes a file and the folder that it is in; nothing if the path is empty. Throws InputError.
void write_output(std::filesystem::path const& file, std::string const& text);

/// Prints a line about a written file on standard output, or as a note if the file itself went there ("-").
void print_written(std::filesystem::path const& file, std::string_view text);

}  // namespace factosim
