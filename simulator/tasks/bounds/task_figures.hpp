#pragma once

#include <vector>

#include "factosim/result.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/tasks/bounds/link_loads.hpp"
#include "simulator/tasks/bounds/placed_work.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// What a result states of its tasks without a simulation.
struct TaskFigures {
  Bounds bounds;
  std::vector<MessageCount> messages_by_phase;  // as `count_messages_by_phase`
};

/// Computes the messages and all bounds of placed tasks. Each node must have a worker for each kernel of its tasks. If the
/// tasks of an application depend on the map, the bounds of the problem are those of the tasks of this map. No run on that
/// grid is shorter than a bound, not even by the last bit: sums are of whole ticks. `work`: that of the flow.
[[nodiscard]] TaskFigures task_figures(PlacedFlow& placed, PlacedWork const& work, Machine const& machine,
                                       Topology const& topology, TimeGrid const& grid,
                                       MessageRules const& rules);
/// The same of a stored graph, which may have edges and weights of its own; equal to the last bit.
[[nodiscard]] TaskFigures task_figures(TaskGraph const& graph, ExecutionPlan const& plan,
                                       Machine const& machine, Topology const& topology, TimeGrid const& grid,
                                       MessageRules const& rules = {});

}  // namespace factosim
