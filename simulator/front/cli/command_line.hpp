#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/os/output_files.hpp"
#include "simulator/front/cli/messages.hpp"

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
void add_scenario_arguments(CLI::App& command, ScenarioArguments& arguments);
/// Adds --force-large, for commands that create the tasks.
void add_force_large(CLI::App& command, bool& force_large);
/// Adds --jobs: how many `things` run at once, "Simulations".
void add_jobs(CLI::App& command, int& jobs, std::string_view things);

/// Prints a line about a written file on standard output, or as a note if the file itself went there ("-").
void print_written(std::filesystem::path const& file, std::string_view text);

}  // namespace factosim
