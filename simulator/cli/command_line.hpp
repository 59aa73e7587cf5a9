#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "simulator/core/finding.hpp"

namespace factosim {

/// Each adds one command to the program; the command's work is done in its callback and may throw.
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

/// What commands on a scenario have in common.
struct ScenarioArguments {
  std::filesystem::path file;
  std::vector<std::string> settings;
  bool json = false;
  bool force_large = false;
};
void add_scenario_arguments(CLI::App& command, ScenarioArguments& arguments);
/// --force-large, of commands that make the tasks.
void add_force_large(CLI::App& command, bool& force_large);

/// Warnings on stderr of what looks wrong in what was read or measured.
void warn_of(std::vector<Finding> const& findings);

/// Throws InputError if `file` exists and may not be replaced.
void refuse_to_overwrite(std::filesystem::path const& file, bool force);

/// Makes a folder for results, after all that can be wrong with the input has been found. Throws InputError.
void make_folder(std::filesystem::path const& folder);

}  // namespace factosim
