#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes a trace into a folder in the format of StarPU's tools, times in ms to the nanosecond:
/// - `tasks.rec`, with the known fields; input of starpu_replay and pmtool;
/// - `data.rec` if the trace has handles; `comms.rec` if it has several nodes;
/// - `platform_file.rec`, as starpu_perfmodel_recdump writes it: the workers of the first node, and mean,
///   deviation and count of the kernels on it and on nodes of its type.
/// `DependsOn` includes dependencies between nodes, which StarPU itself omits. The files appear together or
/// not at all. Takes 8 bytes of memory per task.
void write_starpu(std::filesystem::path const& folder, Trace const& trace);

}  // namespace factosim
