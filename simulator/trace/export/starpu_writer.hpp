#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes a trace into a folder as StarPU's tools tell a run, times in ms to the nanosecond:
/// - `tasks.rec`, of the fields that the trace knows; what starpu_replay and pmtool read;
/// - `data.rec`, where the trace knows handles; `comms.rec`, where it has several nodes;
/// - `platform_file.rec`, what starpu_perfmodel_recdump tells: the workers of the first node, and mean,
///   deviation and number of the kernels on it and on nodes of its type.
/// Dependencies between nodes stand in `DependsOn` too, which StarPU itself leaves out. The files appear
/// together, or none does. Takes 8 bytes of memory per task.
void write_starpu(std::filesystem::path const& folder, Trace const& trace);

}  // namespace factosim
