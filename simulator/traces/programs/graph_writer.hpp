#pragma once

#include <filesystem>

#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

/// Writes a program as JSON lines of our own format (scenarios/graphs.md); the owners of its data are those of its
/// handles. Throws InputError if the file cannot be written; it appears complete or not at all.
void write_graph_lines(std::filesystem::path const& file, TaskProgram const& program);

/// Writes the same as tasks.csv, data.csv and kernels.csv in a folder, which exists. Tables have no head: the scenario
/// says the application, precision and tile size whose timings count.
void write_graph_tables(std::filesystem::path const& folder, TaskProgram const& program);

}  // namespace factosim
