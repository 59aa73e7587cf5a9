#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/base/core/fields.hpp"
#include "simulator/tasks/schedule/static_schedule.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// Reads a schedule of any format, which its content tells: a factosim-schedule, NNTile's execution.json or StarPU's
/// sched.rec. Throws InputError.
[[nodiscard]] std::shared_ptr<StaticSchedule const> read_schedule(std::filesystem::path const& file);

/// The keys of a file of the format "factosim-schedule".
[[nodiscard]] Object<StaticSchedule> const& object_of(StaticSchedule const* any);

/// Reads a factosim-schedule. Throws InputError.
[[nodiscard]] StaticSchedule read_schedule_json(nlohmann::json const& document, std::string const& file);

/// Returns a schedule in that format, a line for each task, in the order of submission.
[[nodiscard]] std::string schedule_json(TaskSchedule const& schedule, ScheduledGraph const& of,
                                        Seconds makespan);

/// Reads NNTile's execution.json: operations in the order of submission, each with a worker of the one kind that the
/// file is about. It has no order on a worker: a worker takes the first one that is ready. Throws InputError. Source:
/// nntile/nntile `docs/dev/execution_json_schema.md` (1.1.0).
[[nodiscard]] StaticSchedule read_execution_json(nlohmann::json const& document, std::string const& file);

/// Returns the workers of a schedule in that format; nothing if it uses both GPUs and cores, or several nodes: the format
/// cannot express that.
[[nodiscard]] std::optional<std::string> execution_json(TaskSchedule const& schedule,
                                                        ScheduledGraph const& of);

/// Reads StarPU's sched.rec, the second argument of starpu_replay: records of `Field: value` lines with blank lines
/// between them, keyed by SubmitOrder from 1. Each task needs a SpecificWorker. With Workerorder the order is strict;
/// without any, workers take their ready tasks by Priority. `Prefetch` records are findings. Throws InputError with the
/// line, also for DependsOn, which would change the task graph. Source: StarPU tools/starpu_replay_sched.c.
[[nodiscard]] StaticSchedule read_sched_rec(std::string_view text, std::string const& file);

/// Returns the schedule of a node in that format; workers are numbered as by StarPU, GPUs first.
[[nodiscard]] std::string sched_rec(TaskSchedule const& schedule, ScheduledGraph const& of);

}  // namespace factosim
