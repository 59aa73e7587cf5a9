#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "simulator/tasks/schedule/static_schedule.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// Reads NNTile's execution.json: operations in the order of submission, each with a worker of the one kind that the
/// file is about. It has no order on a worker: a worker takes the first one that is ready. Throws InputError. Source:
/// nntile/nntile `docs/dev/execution_json_schema.md` (1.1.0).
[[nodiscard]] StaticSchedule read_execution_json(nlohmann::json const& document, std::string const& file);

/// Returns the workers of a schedule in that format; nothing if it uses both GPUs and cores, or several nodes: the format
/// cannot express that.
[[nodiscard]] std::optional<std::string> execution_json(TaskSchedule const& schedule,
                                                        ScheduledGraph const& of);

}  // namespace factosim
