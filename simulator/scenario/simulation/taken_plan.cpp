#include "simulator/scenario/simulation/taken_plan.hpp"

#include <algorithm>
#include <utility>

#include "simulator/tasks/bounds/bounds.hpp"

namespace factosim {

TaskPlan taken_plan(TaskPlan const& all, SimulationOutcome& outcome, TraceRecords* records) {
  PlannedRecursion const& recursion = *all.recursion;
  TakenTasks taken = taken_tasks(all.graph, recursion.tasks, outcome.split);
  std::size_t const tasks = taken.graph.task_count();
  auto const number = [&](std::uint32_t t) { return taken.number[t]; };
  std::vector<TaskDates> dates(tasks);
  std::vector<Seconds> submissions(records != nullptr ? tasks : 0);
  for (std::uint32_t t = 0; t < taken.number.size(); ++t) {
    TaskId const to = number(t);
    if (!to.valid()) continue;
    TaskDates d = outcome.dates[t];
    if (d.released_by != TaskDates::none) d.released_by = number(d.released_by).value() & TaskDates::none;
    if (d.previous != TaskDates::none) d.previous = number(d.previous).value();
    dates[to.index()] = d;
    if (records == nullptr) continue;
    bool const is_split = recursion.tasks.role(TaskId{t}) == RecursiveTasks::Role::split;
    submissions[to.index()] = records->submissions[is_split ? recursion.tasks.coarse_of(TaskId{t}) : t];
  }
  outcome.dates = std::move(dates);
  if (records != nullptr) {
    records->submissions = std::move(submissions);
    for (TaskRecord& r : records->tasks) r.task = number(r.task.value());
  }
  ExecutionPlan plan = plan_on_one_node(taken.graph);
  return {
      all.scenario, std::move(taken.graph), std::move(plan), all.machine, all.topology, all.total_flops, {},
      all.grid};
}

Bounds bounds_of_all_forms(TaskPlan const& p) {
  PlannedRecursion const& r = *p.recursion;
  Machine machine = r.least;
  // Shares are rounded to ticks one by one, a coarse task once.
  for (Machine::Type& type : machine.types)
    for (double& duration : type.durations) duration = std::max(0.0, duration - p.grid.tick().value);
  return compute_bounds(r.parts, r.plan_of_parts, machine, p.topology, p.grid, {});
}

}  // namespace factosim
