#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simulator/scenario/keys/removed.hpp"

namespace factosim {

/// Returns a check that an argument is one of the names. Its error names the nearest one, or what to use in place of a name
/// of an earlier version.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> names, std::optional<RemovedFrom> earlier = {});

/// Returns the names of the commands that a program or a command has.
[[nodiscard]] std::vector<std::string> command_names(CLI::App const& app);

/// Returns the words that call a command: "factosim import starpu-model".
[[nodiscard]] std::string full_name(CLI::App const& command);

/// Returns what an option takes: PATH, or {a|b}; empty for flags.
[[nodiscard]] std::string value_name(CLI::Option const& option);
/// Returns the values that an option accepts; empty if these are not a fixed set.
[[nodiscard]] std::vector<std::string> choices_of(CLI::Option const& option);

/// Makes the help of a program and its commands sorted, with placeholders such as PATH or N.
void set_help_format(CLI::App& program);

/// Throws InputError if the first words of the arguments name no command, and suggests one.
void check_command_words(CLI::App const& program, std::vector<std::string> const& arguments);

/// Returns the message about arguments that the parsed command does not accept. `arguments`: those of the program, in
/// order.
[[nodiscard]] std::string usage_message(CLI::App const& program, CLI::ParseError const& error,
                                        std::vector<std::string> const& arguments);

}  // namespace factosim
