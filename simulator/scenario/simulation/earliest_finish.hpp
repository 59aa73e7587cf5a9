#pragma once

#include <vector>

#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// Returns a node for each task: the one where it would end first. Tasks in the order of their upward ranks (the longest
/// chain of mean durations and mean messages that begins with them); each takes the earliest free worker of each node, and its
/// data are sent on idle routes. Nodes and orders on workers are not kept: the policy of a node schedules anew. Source:
/// Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002 (HEFT), without insertion into gaps. O(tasks nodes workers + edges nodes).
[[nodiscard]] std::vector<NodeId> earliest_finish_nodes(TaskGraph const& graph,
                                                        PlacedScenario const& scenario, TimingKey const& key);

}  // namespace factosim
