#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/graph/transpose.hpp"
#include "simulator/runtime/task_dates.hpp"
#include "simulator/schedule/task_schedule.hpp"
#include "simulator/search/map_neighbours.hpp"
#include "simulator/simulation/task_plan.hpp"

namespace factosim {

/// A schedule as one order of all tasks, in which each follows its predecessors, and their workers: whatever the workers,
/// no task waits for ever.
struct OrderedSchedule {
  std::vector<TaskId> sequence;       // [tasks]
  std::vector<std::uint32_t> place;   // [tasks] in `sequence`
  std::vector<std::uint32_t> worker;  // [tasks] number within the task's node
};

/// Returns the schedule in the order of its predicted starts.
[[nodiscard]] OrderedSchedule ordered(TaskSchedule const& schedule);

/// Returns the tasks that the end of a run waited for, one for the other: the last one first. Source: as ChainTimes.
[[nodiscard]] std::vector<TaskId> critical_tasks(std::span<TaskDates const> dates);

/// Changes the workers and places of single tasks, so that each still follows its predecessors and barriers.
class ScheduleMoves {
 public:
  /// `plan` must outlive this.
  explicit ScheduleMoves(TaskPlan const& plan);

  /// Makes one of four changes about a task of `chain`, or, one time in five, about any task:
  ///   another worker that can run it (of two drawn the faster one);
  ///   an earlier place;
  ///   a later place for the task that ran before it on its worker;
  ///   its worker exchanged for that of a task near it in the order.
  /// The schedule may remain unchanged.
  void change(OrderedSchedule& schedule, std::span<TaskId const> chain, std::span<TaskDates const> dates,
              SearchRandom& random) const;

 private:
  [[nodiscard]] std::span<double const> durations(TaskId task) const;
  [[nodiscard]] bool runs(TaskId task, std::uint32_t worker) const;
  void reassign(OrderedSchedule& schedule, TaskId task, SearchRandom& random) const;
  void earlier(OrderedSchedule& schedule, TaskId task, SearchRandom& random) const;
  void later(OrderedSchedule& schedule, TaskId task, SearchRandom& random) const;
  void exchange(OrderedSchedule& schedule, TaskId task, SearchRandom& random) const;

  TaskPlan const& plan_;
  TaskRows predecessors_;
  std::vector<std::uint32_t> part_;  // [tasks] number of barriers before it
};

}  // namespace factosim
