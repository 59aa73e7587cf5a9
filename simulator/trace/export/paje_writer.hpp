#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes a trace in Paje's format (one file, sorted by time, times in ms as StarPU's) that pj_dump reads
/// without a warning. Containers: root > node > workers and memory nodes; a state per kernel on each worker;
/// a link per copy inside a node (`Bus transfer`) and per message (`Network transfer`). Takes 16 bytes per
/// end of a task or transfer for the sorting. The file appears whole or not at all.
void write_paje(std::filesystem::path const& file, Trace const& trace);

}  // namespace factosim
