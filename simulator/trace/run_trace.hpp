#pragma once

#include <span>

#include "factosim/task_graph.hpp"
#include "simulator/trace/records.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// What one simulation recorded, as a trace like any other. `graph` is the one that ran, with the edges of
/// its plan; `owner` is the home of each handle; `nb` the rows and columns of a tile (0: unknown), which
/// gives tiles a shape and tasks on tiles the footprint that StarPU would compute. Jobs are numbered from 1
/// in submission order, over all nodes. O(tasks + accesses + edges + transfers).
[[nodiscard]] Trace trace_of(TraceRecords const& records, TaskGraph const& graph,
                             std::span<NodeId const> owner, int nb);

}  // namespace factosim
