#pragma once

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "simulator/base/core/finding.hpp"

namespace factosim {

/// Adds --quiet, --verbose and --color, which decide what is printed to stderr, to a command.
void add_message_options(CLI::App& command);

/// Returns true if --quiet was given: only errors are printed, and no progress.
[[nodiscard]] bool is_quiet();

/// Print one line to stderr, in which control characters are shown escaped. Every command prints its messages by one
/// of these functions. With --quiet only errors are printed; notes are printed in full colour of the terminal.
void print_error(std::string_view text);
void print_warning(std::string_view text);  // without "warning: " at its begin
void print_note(std::string_view text);

/// Prints findings as warnings: those whose texts differ in numbers only on one line, with paths below the folder that
/// all have in common; with --verbose one by one with whole paths.
void warn_of(std::vector<Finding> const& findings);

}  // namespace factosim
