#pragma once

#include <filesystem>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

// What readers of traces and of programs share. They throw InputError at a malformed line.

/// Reads tasks.rec, and data.rec beside it.
[[nodiscard]] StarpuRun read_starpu_records(std::filesystem::path const& tasks);

/// Reads a directory of CSV files written by StarVZ's first phase, each plain or gzipped: rec.tasks.csv,
/// rec.data_handles.csv, rec.comms.csv, dag.csv, paje.worker_state.csv, paje.link.csv. Either rec.tasks.csv
/// or paje.worker_state.csv must exist. Dependencies come from the tasks, otherwise from dag.csv; messages
/// from rec.comms.csv, otherwise from paje.link.csv.
[[nodiscard]] StarpuRun read_starvz_directory(std::filesystem::path const& folder);
/// Returns whether the folder contains rec.tasks.csv or paje.worker_state.csv, plain or gzipped.
[[nodiscard]] bool is_starvz_directory(std::filesystem::path const& folder);

/// Reads a Paje trace of StarPU, SimGrid or this program, with its lines in any order of time. In traces of
/// StarPU, tasks are the states with a JobId; in others, all states of workers except those of the runtime
/// system ("Idle", ...). Links between nodes are messages, links between memory managers of one node are
/// copies. If the run contains tasks already (from tasks.rec), the trace adds only the names of their workers,
/// states and copies. O(events log events) time, 40 bytes per event.
void add_paje(std::filesystem::path const& file, StarpuRun& run);

}  // namespace factosim
