#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Returns the node of each task of a trace; tasks without a worker are on node 0.
[[nodiscard]] std::vector<NodeId> nodes_of_tasks(Trace const& trace);

/// Returns the tasks of the trace in the order of their submission, as far as each comes after its
/// predecessors and, if it overwrites data, after the tasks on other nodes that read the version before. The
/// dependencies must form no cycle: read_trace refuses those. O((tasks + edges) log).
[[nodiscard]] std::vector<std::uint32_t> replay_order(Trace const& trace, std::vector<NodeId> const& node);

}  // namespace factosim
