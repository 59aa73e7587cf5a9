#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "factosim/task_graph.hpp"
#include "platforms/topology.hpp"
#include "simulator/runtime/policies/recorded.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/scenario/simulation/size_limit.hpp"
#include "simulator/tasks/bounds/placed_flow.hpp"
#include "simulator/tasks/bounds/placed_work.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/schedule/task_schedule.hpp"

namespace factosim {

/// A graph in submission order with the nodes of its data and tasks.
struct PlacedGraph {
  TaskGraph graph;
  std::vector<NodeId> owners;   // [handles] at the start
  std::vector<NodeId> nodes{};  // [tasks]; empty: each on the owner of the first handle that it writes
  std::size_t joined = 0;       // tasks whose data from one task on another node are one message
  std::string source{};         // where the graph is from, for findings
};

/// Places the graph of a file on the nodes, as its options say. Throws InputError if the file names a node that the platform
/// does not have.
[[nodiscard]] PlacedGraph place_graph(PlacedScenario const& scenario, GraphApplication const& application);

/// Completes a graph on that many nodes. On one, all is there, whatever was said of nodes. Else a task whose node is not given runs on the owner of the first datum that it writes, or
/// else reads, or else on node 0; a datum without an owner is where it is used first; see connect_nodes. Of the program count
/// the explicit dependencies, the waits and the flushes.
void complete_placement(PlacedGraph& placed, std::size_t node_count, TaskProgram const& program);

/// Returns the tasks of a scenario as a program: those of a tiled application with the owners of its map, those of a graph
/// file as they are. Throws InputError for the replay of a trace.
[[nodiscard]] TaskProgram program_of_scenario(PlacedScenario const& scenario);

/// Returns the operations of all tasks.
[[nodiscard]] Flops total_flops(TaskGraph const& graph);

/// Tasks that are stored, on their nodes.
struct StoredTasks {
  TaskGraph graph;
  ExecutionPlan plan;
  std::optional<Recording> recording{};  // of a replay, or of a static schedule
  /// The same tasks in the same order, for runs that take less time by formulas; null: there are none.
  std::shared_ptr<TaskFormulas const> formulas{};
};

/// Tasks that formulas give to each run.
struct FormulaTasks {
  std::shared_ptr<TaskFormulas const> formulas;
};

/// Tasks that no run needs: an estimate counts them.
struct CountedTasks {};

/// Tasks ready to be simulated, on their nodes, and the durations of kernels.
struct TaskPlan {
  PlacedScenario scenario;
  Machine machine;
  Topology topology;
  Flops total_flops;  // those that GFlop/s are counted with
  std::variant<StoredTasks, FormulaTasks, CountedTasks> tasks;
  PlacedWork work;
  TimeGrid grid{};  // of the dates of its run

  [[nodiscard]] std::uint64_t task_count() const { return work.tasks; }
  /// Returns whether a machine with tasks is an estimate, or, where nodes send something, the network.
  [[nodiscard]] bool uses_estimates(bool sends) const;
  /// The tasks of a plan that stores them.
  [[nodiscard]] StoredTasks& stored() { return std::get<StoredTasks>(tasks); }
  [[nodiscard]] StoredTasks const& stored() const { return std::get<StoredTasks>(tasks); }
};

/// Returns `use(flow)` of the tasks of a tiled application on their nodes.
template <class Use>
auto with_flow(PlacedScenario const& s, Use const& use) {
  auto const& [definition, parameters] = std::get<TiledApplication>(s.application);
  auto const tasks = definition->flow(parameters, s.distribution.map);
  PlacedFlow flow(*tasks, {&s.distribution.map, &s.distribution.generation_map()}, s.platform.nodes.size());
  return use(flow);
}

/// Whether a plan stores the graph of its tasks.
enum class TaskStorage : std::uint8_t {
  always,       // for those that look at single tasks
  where_needed  // not if formulas may give a run its tasks
};

/// Plans a graph on its nodes. `key` selects the timings of its kernels. Checks nothing, and sets no grid.
[[nodiscard]] TaskPlan plan_graph(PlacedScenario scenario, PlacedGraph placed, TimingKey const& key);

/// Returns the grid of the dates of the plan's runs. Throws InputError if these would last longer than any date.
[[nodiscard]] TimeGrid grid_of(TaskPlan const& plan);

/// A kernel that no worker of a node can run although the node has tasks of it.
struct UnrunnableTask {
  NodeId node;
  std::size_t kernel = 0;  // index into PlacedWork::kernels
};

/// Returns the first one by node and kernel, or nothing if every node can run its tasks.
[[nodiscard]] std::optional<UnrunnableTask> find_unrunnable(TaskPlan const& plan);

/// Throws InputError if a node has tasks of a graph from a file that none of its workers can run.
void check_graph_runnable(TaskPlan const& plan, GraphApplication const& application);

/// Plans the tasks, and makes them follow the scenario's static schedule if it has one. Throws InputError if that does not
/// fit (fit_schedule), if a node gets tasks that none of its workers can run because there is
/// no timing for that tile size or precision, or if durations are to be drawn from samples that a timing
/// lacks; InfeasibleError if a GPU cannot hold the tiles of the tasks in its pipeline, or a RAM the tiles
/// that its node owns.
[[nodiscard]] TaskPlan plan_tasks(PlacedScenario scenario, TaskStorage storage = TaskStorage::always);

/// Throws the InputError of what needs every task, if the scenario asks for an estimate.
void refuse_estimates(ScenarioHead const& scenario);

/// Plans CountedTasks, for estimates. Throws as `plan_tasks`.
[[nodiscard]] TaskPlan plan_work(PlacedScenario scenario);

/// Makes the runs of the plan follow a schedule of its stored tasks.
void follow(TaskPlan& plan, TaskSchedule schedule);

/// Places the tasks by another map of the same size. Throws as `plan_tasks`.
void re_place(TaskPlan& plan, TileMap const& map);

}  // namespace factosim
