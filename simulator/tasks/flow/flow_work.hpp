#pragma once

#include <cstdint>
#include <vector>

#include "platforms/topology.hpp"
#include "simulator/tasks/flow/placed_flow.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// What a flow's tasks are, before any grid of dates.
struct FlowWork {
  std::vector<Kernel> kernels;
  std::vector<Phase> phases;
  std::uint64_t tasks = 0, most_tasks = 0;                // of all nodes; of one
  std::vector<std::vector<std::uint64_t>> tasks_by_node;  // [nodes][kernels]
  std::vector<Bytes> owned;                               // [nodes] handles whose last version the node keeps
  Seconds expected;                                       // as `expected_makespan` of the stored graph
};

/// Counts the tasks in one pass, or two. The machine has the flow's kernels.
[[nodiscard]] FlowWork flow_work(PlacedFlow& placed, Machine const& machine, Topology const& topology,
                                 RuntimeOptions const& options);

}  // namespace factosim
