#pragma once

#include <cstdint>
#include <vector>

#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/schedule/static_schedule.hpp"

namespace factosim {

/// A static schedule of a placed task graph: which worker runs each task, and in which order.
struct TaskSchedule {
  std::vector<std::uint32_t> worker;     // [tasks] number within the task's node
  std::vector<std::uint32_t> position;   // [tasks] a worker runs its tasks in ascending order; each once
  std::vector<std::int32_t> priority{};  // [tasks] of its transfers and messages; empty: the graph's
  bool strict = true;  // a worker waits for its next task; else it takes the first one that is ready
  std::vector<double> start_s{}, end_s{};  // [tasks] predicted dates; empty: none
};

/// The tasks that a schedule is for, on their nodes and workers. The parts must outlive it.
struct ScheduledGraph {
  TaskGraph const& graph;
  ExecutionPlan const& plan;
  Machine const& machine;
};

/// Returns for each task how many tasks run before it on its worker: [tasks].
[[nodiscard]] std::vector<std::uint32_t> turns(TaskSchedule const& schedule, ScheduledGraph const& of);

/// Returns the schedule of the file for the tasks of a plan. Throws InputError that names file, place and task: if a
/// task is missing, unknown or there twice, is of another kernel or node, if its worker does not exist or cannot run it,
/// or if, in a strict order, tasks wait for each other. O((tasks + edges) log tasks).
[[nodiscard]] TaskSchedule fit_schedule(StaticSchedule const& schedule, ScheduledGraph const& to);

}  // namespace factosim
