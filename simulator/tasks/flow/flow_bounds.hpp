#pragma once

#include <cstdint>
#include <vector>

#include "factosim/result.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/tasks/bounds/link_loads.hpp"
#include "simulator/tasks/flow/flow_work.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// What a result states of its tasks' flow.
struct FlowFigures {
  Bounds bounds;
  std::uint64_t messages = 0;
  std::vector<MessageCount> messages_by_phase;
};

/// Computes the bounds of `compute_bounds` and the messages of `count_messages_by_phase` in one more pass over the tasks.
[[nodiscard]] FlowFigures flow_figures(PlacedFlow& placed, FlowWork const& work, Machine const& machine,
                                       Topology const& topology, TimeGrid const& grid,
                                       MessageRules const& rules);

}  // namespace factosim
