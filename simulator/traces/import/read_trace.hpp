#pragma once

#include <filesystem>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Reads a run in any supported format: the folder of a run of this program or its run.trace; a directory
/// with tasks.rec (and data.rec, comms.rec, paje.trace), a StarVZ directory, a directory with only a
/// paje.trace; one of these files; Chrome trace events; a table of tasks in CSV; all plain or gzipped. Oddities are reported in
/// its findings. Throws InputError if the file has none of these formats or is damaged (`FILE#line N: ...`),
/// or if the dependencies form a cycle. Time (except sorting) and memory are proportional to the size of the
/// files.
[[nodiscard]] Trace read_trace(std::filesystem::path const& path);

}  // namespace factosim
