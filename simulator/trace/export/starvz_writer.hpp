#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes the folder of CSV files that the first phase of StarVZ reads (`starvz_phase1`, version 0.8.4):
/// entities.csv, and compressed: paje.worker_state, paje.comm_state, paje.memory_state, paje.other_state,
/// paje.variable (tasks submitted and ready on each node, GFlop/s of each worker), paje.link (messages and
/// copies), rec.tasks, rec.data_handles, dag; and platform_file.rec. Times in ms to the nanosecond. Workers
/// are called 0_CPU0, 0_CUDA0_0 and 0_mpict also for a single node. The files appear together or not at all.
/// Sorting the changes takes about 50 bytes of memory per task.
void write_starvz(std::filesystem::path const& folder, Trace const& trace);

}  // namespace factosim
