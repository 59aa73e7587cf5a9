#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Returns the node of each task of a trace; node 0 for tasks without a worker.
[[nodiscard]] std::vector<NodeId> nodes_of_tasks(Trace const& trace);

/// Returns the tasks of the trace in the order of submission, each moved back as far as needed to follow its
/// predecessors and, if it overwrites data, the tasks on other nodes that read the version before. The
/// dependencies must have no cycle: read_trace refuses such traces. O(edges + tasks log tasks).
[[nodiscard]] std::vector<std::uint32_t> replay_order(Trace const& trace, std::vector<NodeId> const& node);

}  // namespace factosim
