#pragma once

#include <string>
#include <string_view>

#include "simulator/tasks/schedule/static_schedule.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// Reads StarPU's sched.rec, the second argument of starpu_replay: records of `Field: value` lines with blank lines
/// between them, keyed by SubmitOrder from 1. Each task needs a SpecificWorker. With Workerorder the order is strict;
/// without any, workers take their ready tasks by Priority. `Prefetch` records are findings. Throws InputError with the
/// line, also for DependsOn, which would change the task graph. Source: StarPU tools/starpu_replay_sched.c.
[[nodiscard]] StaticSchedule read_sched_rec(std::string_view text, std::string const& file);

/// Returns the schedule of a node in that format; workers are numbered as by StarPU, GPUs first.
[[nodiscard]] std::string sched_rec(TaskSchedule const& schedule, ScheduledGraph const& of);

}  // namespace factosim
