#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes a trace in Paje's format (one file, sorted by time, times in ms like StarPU) that pj_dump reads
/// without warnings. Containers: root > node > workers and memory nodes; a state per kernel on each worker; a
/// link per copy inside a node (`Bus transfer`) and per message (`Network transfer`). Sorting takes 16 bytes
/// per end of a task or transfer. The file appears complete or not at all.
void write_paje(std::filesystem::path const& file, Trace const& trace);

}  // namespace factosim
