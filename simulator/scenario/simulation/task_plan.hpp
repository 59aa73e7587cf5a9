#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "factosim/task_graph.hpp"
#include "platforms/topology.hpp"
#include "simulator/runtime/node/recording.hpp"
#include "simulator/scenario/simulation/graph_plan.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/scenario/simulation/task_source.hpp"
#include "simulator/tasks/flow/flow_work.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// A task graph ready to be simulated: its tasks, their nodes, and the durations of kernels.
struct TaskPlan {
  PlacedScenario scenario;
  TaskGraph graph;     // only its kernels if formulas give the tasks
  ExecutionPlan plan;  // empty if formulas give the tasks
  Machine machine;
  Topology topology;
  Flops total_flops;                               // those that GFlop/s are counted with
  std::optional<Recording> recording{};            // of a replay, or of a static schedule
  TimeGrid grid{};                                 // of the dates of its run
  std::shared_ptr<TaskFormulas const> formulas{};  // that runs take their tasks from; null: from the graph
  FlowWork work{};                                 // of the tasks that formulas give

  [[nodiscard]] std::uint64_t task_count() const { return work.tasks > 0 ? work.tasks : graph.task_count(); }
};

/// Whether a plan stores the graph of its tasks.
enum class TaskStorage : std::uint8_t {
  always,       // for those that look at single tasks
  where_needed  // not if formulas may give a run its tasks
};

/// Returns the number of tasks of each kernel on each node, [nodes][kernels].
[[nodiscard]] std::vector<std::vector<std::uint64_t>> tasks_by_node(TaskPlan const& plan);

/// Plans a graph on its nodes. `key` selects the timings of its kernels. Checks nothing, and sets no grid.
[[nodiscard]] TaskPlan plan_graph(PlacedScenario scenario, PlacedGraph placed, TimingKey const& key);

/// Returns the grid of the dates of the plan's runs. Throws InputError if these would last longer than any date.
[[nodiscard]] TimeGrid grid_of(TaskPlan const& plan);

/// A kernel that no worker of a node can run although the node has tasks of it.
struct UnrunnableTask {
  NodeId node;
  std::size_t kernel = 0;  // index into TaskGraph::kernels
};

/// Returns the first one by node and kernel, or nothing if every node can run its tasks.
[[nodiscard]] std::optional<UnrunnableTask> find_unrunnable(TaskPlan const& plan);

/// Plans the tasks, and makes them follow the scenario's static schedule if it has one. Throws InputError if that does not
/// fit (fit_schedule), if a node gets tasks that none of its workers can run because there is
/// no timing for that tile size or precision, or if durations are to be drawn from samples that a timing
/// lacks; InfeasibleError if a GPU cannot hold the tiles of the tasks in its pipeline, or a RAM the tiles
/// that its node owns.
[[nodiscard]] TaskPlan plan_tasks(PlacedScenario scenario, TaskStorage storage = TaskStorage::always);

/// Throws the InputError of what needs every task, if the scenario asks for an estimate.
void refuse_estimates(ScenarioHead const& scenario);

/// Plans tasks for estimates: neither the graph nor formulas; `work` counts them. Throws as `plan_tasks`.
[[nodiscard]] TaskPlan plan_work(PlacedScenario scenario);

/// Makes the runs of the plan follow a schedule.
void follow(TaskPlan& plan, TaskSchedule schedule);

/// Places the tasks by another map of the same size. Throws as `plan_tasks`.
void re_place(TaskPlan& plan, TileMap const& map);

}  // namespace factosim
