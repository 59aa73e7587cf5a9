#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "simulator/runtime/node/outcome.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// Whose makespans a judge measures.
enum class JudgeNetwork : std::uint8_t {
  own,      // of the scenario's own network; SimGrid simulates once in a process
  repeated  // of the built-in max-min network in place of SimGrid's: any number of simulations
};

/// A simulated schedule.
struct JudgedSchedule {
  TaskSchedule schedule{};
  Seconds makespan{std::numeric_limits<double>::infinity()};
  std::vector<TaskDates> dates{};  // [tasks]
};

/// Simulates schedules and policies on one plan, with the means of all durations.
class ScheduleJudge {
 public:
  ScheduleJudge(TaskPlan const& plan, JudgeNetwork network);

  /// Simulates the schedule, and keeps it with its predicted dates.
  [[nodiscard]] JudgedSchedule judge(TaskSchedule schedule);
  /// Simulates the scenario with a policy and, unless they are empty, other priorities, and tasks that it takes GPUs to be
  /// unable to run, where a core of their node can: [tasks]. Returns its makespan, and who ran what in which order as a
  /// strict schedule.
  [[nodiscard]] JudgedSchedule run_policy(std::string const& type,
                                          std::span<std::int32_t const> priorities = {},
                                          std::vector<bool> const& kept_on_cores = {});
  /// Returns the plan; behind its kernels each of them stands again, as one for cores only.
  [[nodiscard]] TaskPlan const& plan() const { return plan_; }

 private:
  TaskPlan plan_;
  std::vector<std::int32_t> priorities_;  // [tasks] those of the application
  std::vector<std::uint16_t> kernels_;    // [tasks] those of the application
};

/// Returns the length of the longest chain from the start of each task to the end of the graph, each task with the mean of
/// its durations on the workers of its node that can run it, in seconds: [tasks]. (HEFT's rank without transfers.)
[[nodiscard]] std::vector<double> mean_ranks(TaskPlan const& plan);

/// Returns how much later each task could end without making the longest chain of tasks longer, if each took as long as on
/// the fastest worker of its node, in seconds: [tasks].
[[nodiscard]] std::vector<double> slacks(TaskPlan const& plan);

/// Returns the kernels that both kinds of workers of some node can run: none of those for cores only.
[[nodiscard]] std::vector<std::size_t> kernels_of_both_kinds(TaskPlan const& plan);

/// Returns priorities that order the tasks by the values: [tasks].
[[nodiscard]] std::vector<std::int32_t> priorities_by(std::span<double const> values);

/// Returns the assignment of the tasks in turn, in the order of submission, to the workers of their node that can run them;
/// with `gpus_first`, to GPUs where one can. Each worker takes its first ready task.
[[nodiscard]] TaskSchedule round_robin(TaskPlan const& plan, bool gpus_first);

}  // namespace factosim
