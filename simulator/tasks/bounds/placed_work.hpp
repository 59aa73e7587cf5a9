#pragma once

#include <cstdint>
#include <vector>

#include "platforms/topology.hpp"
#include "simulator/tasks/bounds/placed_flow.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// What tasks on their nodes are, before any grid of dates.
struct PlacedWork {
  std::vector<Kernel> kernels;
  std::vector<Phase> phases;
  std::uint64_t tasks = 0, most_tasks = 0;                // of all nodes; of one
  std::vector<std::vector<std::uint64_t>> tasks_by_node;  // [nodes][kernels]
  std::vector<Bytes> owned;                               // [nodes] handles whose last version the node keeps
  /// Order of magnitude of the makespan, from which the clock takes its tick: the largest of the work per worker of a node,
  /// the longest chain of tasks and messages, the submission of all tasks, and the time to send all data once over the
  /// slowest links of all nodes; but at most 16 times what the work, the submissions and the longest chain with its
  /// messages on their own routes take. In proportion to the times of the scenario.
  Seconds expected;
};

/// Counts the tasks of a flow in one pass, or two. The machine has the flow's kernels.
[[nodiscard]] PlacedWork placed_work(PlacedFlow& placed, Machine const& machine, Topology const& topology,
                                     RuntimeOptions const& options);
/// The same of a stored graph. O(tasks + edges).
[[nodiscard]] PlacedWork placed_work(TaskGraph const& graph, ExecutionPlan const& plan,
                                     Machine const& machine, Topology const& topology,
                                     RuntimeOptions const& options);

}  // namespace factosim
