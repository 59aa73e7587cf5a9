#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "simulator/core/finding.hpp"

namespace factosim {

/// Each adds one command to the program; its callback executes the command and may throw.
void add_run_command(CLI::App& program);
void add_bounds_command(CLI::App& program);
void add_distribute_command(CLI::App& program);
void add_import_command(CLI::App& program);
void add_calibrate_command(CLI::App& program);
void add_sweep_command(CLI::App& program);
void add_advise_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_report_command(CLI::App& program);
void add_check_command(CLI::App& program);

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

/// Prints findings as warnings to stderr.
void warn_of(std::vector<Finding> const& findings);

/// Throws InputError if `file` exists and may not be replaced.
void refuse_to_overwrite(std::filesystem::path const& file, bool force);

/// Creates a folder for results; call it after all checks of the input. Throws InputError.
void make_folder(std::filesystem::path const& folder);

}  // namespace factosim
