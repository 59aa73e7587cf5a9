#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Reads a run, whatever wrote it: the folder of a run of ours or its run.trace; a directory with tasks.rec
/// (and data.rec, comms.rec, paje.trace), a StarVZ directory, a directory with a paje.trace alone; one of
/// these files; a table of tasks in CSV. All plain or gzipped. What is odd about it is in its findings.
/// Throws InputError where the file is none of these, or is damaged: `FILE#line N: ...`, or where tasks wait
/// for each other in a circle. Time and memory are proportional to what the files hold, but for sorting.
[[nodiscard]] Trace read_trace(std::filesystem::path const& path);

}  // namespace factosim
