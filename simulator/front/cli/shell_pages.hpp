#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace factosim {

/// Return the completions of a program with its commands, options and their choices, as scripts of shells.
[[nodiscard]] std::string bash_completion(CLI::App const& program);
[[nodiscard]] std::string zsh_completion(CLI::App const& program);
[[nodiscard]] std::string fish_completion(CLI::App const& program);

/// Returns the manual page of a program or a command, in roff.
[[nodiscard]] std::string manual_page(CLI::App const& command);

/// Writes the manual pages and completions below the `share` folder of an installation. Throws InputError.
void write_shell_pages(std::filesystem::path const& share, CLI::App const& program);

}  // namespace factosim
