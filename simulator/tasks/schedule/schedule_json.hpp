#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/tasks/schedule/static_schedule.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// The keys of a file of the format "factosim-schedule".
[[nodiscard]] ObjectKeys const& schedule_table();

/// Reads a factosim-schedule. Throws InputError.
[[nodiscard]] StaticSchedule read_schedule_json(nlohmann::json const& document, std::string const& file);

/// Returns a schedule in that format, a line for each task, in the order of submission.
[[nodiscard]] std::string schedule_json(TaskSchedule const& schedule, ScheduledGraph const& of,
                                        Seconds makespan);

}  // namespace factosim
