#pragma once

#include "simulator/tasks/schedule/static_schedule.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// Returns the schedule of the file for the tasks of a plan. Throws InputError that names file, place and task: if a
/// task is missing, unknown or there twice, is of another kernel or node, if its worker does not exist or cannot run it,
/// or if, in a strict order, tasks wait for each other. O((tasks + edges) log tasks).
[[nodiscard]] TaskSchedule fit_schedule(StaticSchedule const& schedule, ScheduledGraph const& to);

}  // namespace factosim
