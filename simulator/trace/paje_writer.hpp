#pragma once

#include <filesystem>

#include "simulator/graph/task_graph.hpp"
#include "simulator/trace/records.hpp"

namespace factosim {

/// Writes the records as a Paje trace (one file, sorted by time, times in ms as StarPU's) that pj_dump reads
/// without a warning. Containers: root > node > workers and memory nodes; a state per kernel on each worker;
/// a link per copy inside a node (`Bus transfer`) and per message (`Network transfer`). The file appears
/// whole or not at all.
void write_paje(std::filesystem::path const& file, TraceRecords const& records, TaskGraph const& graph);

}  // namespace factosim
