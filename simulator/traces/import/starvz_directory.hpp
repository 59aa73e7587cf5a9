#pragma once

#include <filesystem>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// Reads a directory of CSV files written by StarVZ's first phase, each plain or gzipped: rec.tasks.csv,
/// rec.data_handles.csv, rec.comms.csv, dag.csv, paje.worker_state.csv, paje.link.csv. Either rec.tasks.csv
/// or paje.worker_state.csv must exist. Dependencies come from the tasks, otherwise from dag.csv; messages
/// from rec.comms.csv, otherwise from paje.link.csv. Throws InputError.
[[nodiscard]] StarpuRun read_starvz_directory(std::filesystem::path const& folder);

/// Returns whether the folder contains rec.tasks.csv or paje.worker_state.csv, plain or gzipped.
[[nodiscard]] bool is_starvz_directory(std::filesystem::path const& folder);

}  // namespace factosim
