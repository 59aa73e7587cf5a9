#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "distributions/map_neighbours.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// A schedule as one order of all tasks, in which each follows its predecessors, and their workers: whatever the workers,
/// no task waits for ever.
struct OrderedSchedule {
  std::vector<TaskId> sequence;       // [tasks]
  std::vector<std::uint32_t> place;   // [tasks] in `sequence`
  std::vector<std::uint32_t> worker;  // [tasks] number within the task's node
};

/// Returns the schedule ordered by its positions.
[[nodiscard]] OrderedSchedule ordered(TaskSchedule const& schedule);

/// A schedule as a simulation ran it.
struct RanSchedule {
  OrderedSchedule order;                         // by the starts of the tasks
  std::vector<TaskDates> dates;                  // [tasks]
  std::vector<TaskId> chain;                     // critical_tasks
  std::vector<std::vector<TaskId>> by_worker{};  // [workers of the cluster] what each ran, in order
};

/// Changes the workers and places of single tasks, so that each still follows its predecessors and barriers.
class ScheduleMoves {
 public:
  /// `plan` must outlive this.
  explicit ScheduleMoves(TaskPlan const& plan);

  /// Returns the run of a schedule that has just been simulated.
  [[nodiscard]] RanSchedule ran(OrderedSchedule order, std::vector<TaskDates> dates) const;

  /// Makes one of these changes of `schedule` about a task of the critical chain of `run`, or, one time in five, about any:
  ///   into an idle gap of another worker, between the ends of its predecessors and the starts of its successors;
  ///   to another worker as soon as its predecessors have ended (of two drawn the faster one);
  ///   to an earlier place, before other tasks of its worker;
  ///   a later place for the task that ran before it on its worker;
  ///   its worker exchanged for that of a task near it in the order.
  /// The schedule may remain unchanged.
  void change(OrderedSchedule& schedule, RanSchedule const& run, SearchRandom& random) const;

 private:
  [[nodiscard]] NodeId node_of(TaskId task) const { return plan_.stored().plan.node_of(task); }
  [[nodiscard]] std::size_t first_worker(TaskId task) const {
    return plan_.machine.first_worker[node_of(task).index()];
  }
  [[nodiscard]] std::span<double const> durations(TaskId task) const;  // of its kernel, [workers]
  [[nodiscard]] double duration(TaskId task, std::uint32_t worker) const;
  [[nodiscard]] bool runs(TaskId task, std::uint32_t worker) const;
  [[nodiscard]] double ready_date(RanSchedule const& run, TaskId task) const;
  [[nodiscard]] std::optional<double> gap(RanSchedule const& run, TaskId task, std::uint32_t worker,
                                          double ready, double due) const;
  void fit(OrderedSchedule& schedule, RanSchedule const& run, TaskId task, SearchRandom& random) const;
  void reassign(OrderedSchedule& schedule, RanSchedule const& run, TaskId task, SearchRandom& random) const;
  void exchange(OrderedSchedule& schedule, TaskId task, SearchRandom& random) const;
  void put(OrderedSchedule& schedule, RanSchedule const& run, TaskId task, double date) const;
  void put_at(OrderedSchedule& schedule, TaskId task, std::size_t place) const;

  TaskPlan const& plan_;
  TaskGraph const& graph_;
  TaskRows successors_, predecessors_;  // also by copies that a message overwrites
  std::vector<std::uint32_t> part_;     // [tasks] number of barriers before it
};

}  // namespace factosim
