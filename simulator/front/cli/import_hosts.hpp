#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace factosim {

/// Adds --host and --name, each for one machine or several.
void add_host_arguments(CLI::App& command, std::vector<std::string>& hosts, std::vector<std::string>& names);

/// Throws InputError unless there is no name, or one for each host.
void check_names(std::vector<std::string> const& names, std::size_t hosts);

}  // namespace factosim
