#pragma once

#include <span>

#include "factosim/task_graph.hpp"
#include "simulator/traces/trace/records.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Converts the records of one simulation to a trace. `graph` is the executed graph, with the edges of its
/// plan; `owner` is the owner of each handle; `nb` is the tile size (0: unknown), which determines the shape
/// of tiles and the StarPU footprint of tasks. Jobs are numbered from 1 in submission order, over all nodes.
/// O(tasks + accesses + edges + transfers).
[[nodiscard]] Trace trace_of(TraceRecords const& records, TaskGraph const& graph,
                             std::span<NodeId const> owner, int nb);

}  // namespace factosim
