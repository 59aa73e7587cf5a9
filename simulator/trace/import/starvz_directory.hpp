#pragma once

#include <filesystem>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// Reads a directory of CSV files as StarVZ's first phase writes it, each plain or gzipped: rec.tasks.csv,
/// rec.data_handles.csv, rec.comms.csv, dag.csv, paje.worker_state.csv, paje.link.csv. Either the first or
/// paje.worker_state.csv must be there. Dependencies come from the tasks, else from dag.csv; messages from
/// rec.comms.csv, else from paje.link.csv. Throws InputError.
[[nodiscard]] StarpuRun read_starvz_directory(std::filesystem::path const& folder);

/// Whether it looks like one.
[[nodiscard]] bool is_starvz_directory(std::filesystem::path const& folder);

}  // namespace factosim
