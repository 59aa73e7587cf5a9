#pragma once

#include <optional>

#include "simulator/report/diagnosis/diagnosis.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

/// Of the distributions by the speeds of the nodes, 1D-1D and 1Dx1D-C, returns the one with the least loaded most
/// loaded node, and a lower bound for the tasks of the plan: the load of that node, at least the bound of the `problem`. Nothing for
/// replays and graphs of a program, for tasks that depend on the map, and where a node lacks a timing. O(tasks), and two maps.
[[nodiscard]] std::optional<OtherDistribution> most_even_distribution(TaskPlan const& plan, Seconds problem);

}  // namespace factosim
