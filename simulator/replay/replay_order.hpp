#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// The node of each task of a trace; tasks of no worker are on node 0.
[[nodiscard]] std::vector<NodeId> nodes_of_tasks(Trace const& trace);

/// Tasks of the trace in the order of their submission, moved back as far as they have to be for each to come
/// after those it waits for and, where it overwrites data, after those elsewhere that read the version
/// before. No tasks may wait for each other in a circle: read_trace refuses that. O((tasks + edges) log).
[[nodiscard]] std::vector<std::uint32_t> replay_order(Trace const& trace, std::vector<NodeId> const& node);

}  // namespace factosim
