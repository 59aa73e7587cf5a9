#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "factosim/result.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/report/text/summary.hpp"
#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/scenario/simulation/size_limit.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "simulator/traces/trace/series.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// A tiled application of which not every task is simulated: see the scenario's "detail".
struct EstimatePlan {
  PlacedScenario scenario;
};

/// Estimates the makespan as the scenario says. Calls `progress` with the number of tasks that have been simulated.
/// Throws as `plan_tasks`.
[[nodiscard]] Result estimate_run(EstimatePlan const& plan, ProgressCallback const& progress);

/// An application without a task graph. Nothing is planned before it is simulated.
struct ExperimentPlan {
  ScenarioHead scenario;
  ExperimentScenario application;
};

/// A scenario ready to be simulated.
using SimulationPlan = std::variant<TaskPlan, EstimatePlan, ExperimentPlan>;

/// Plans a scenario: fits its platform, makes its map and its task graph. Throws InputError if it needs more
/// than the limit, and as `place` and `plan_tasks`.
[[nodiscard]] SimulationPlan plan_simulation(Scenario scenario, SizeLimit const& limit = {},
                                             TaskStorage storage = TaskStorage::where_needed);

/// Returns the deviation of runs of the machine in use that varies most, as its kernel file knows it; 0
/// without one.
[[nodiscard]] RunDeviation calibrated_run_deviation(ClusterOptions const& cluster);

/// Computes the statistics of all replicas: of the first seed, and of those that follow it in order. `interval`:
/// the probability that the prediction intervals hold one real run. With calibrated noise they include the
/// error of the calibration.
[[nodiscard]] Replicas summarize_replicas(TaskPlan const& plan, Seconds first,
                                          std::vector<Seconds> const& further, double interval);

/// Throws the InputError of the scenario that can be found without its task graph.
void check_scenario(Scenario scenario, SizeLimit const& limit = {});

/// Returns the parts that all plans have.
[[nodiscard]] ScenarioHead const& head_of(SimulationPlan const& plan);

/// Returns the plan of a task graph. Throws InputError if there is none.
[[nodiscard]] TaskPlan const& task_plan(SimulationPlan const& plan);

/// Returns the number of tasks; 0 without a task graph, or where not all of them are simulated.
[[nodiscard]] std::uint64_t task_count(SimulationPlan const& plan);

/// Returns whether replicas with other seeds may differ. Throws InputError without a task graph, which has no
/// replicas, and for an estimate.
[[nodiscard]] bool replicas_may_differ(SimulationPlan const& plan);

struct RunOptions {
  int replicas = 1;
  double interval = 0.95;  // probability that prediction intervals hold one further run
  int perturbed = 0;       // further simulations that tell the makespan's sensitivity; 0: none
  int jobs = 0;            // replicas or further simulations at once, if memory allows; 0: as many as cores
  SummaryLength summary = SummaryLength::answer;
  bool removes_limits = true;  // in further simulations, for the diagnosis
  std::optional<OutputOptions>
      outputs{};  // to record, and for the result to state; none: the scenario's, unrecorded

  [[nodiscard]] bool trace() const { return outputs && !outputs->traces.empty(); }
  [[nodiscard]] std::size_t series_points() const { return outputs ? outputs->series_points : 0; }
};

/// The results of a run.
struct RunRecord {
  nlohmann::ordered_json json;     // result.json
  std::string summary;             // as text
  std::optional<Result> result{};  // of a task graph whose tasks were all simulated
  std::optional<Trace> trace{};
  std::optional<Series> series{};  // refers to the plan
  std::vector<SeriesNode> series_nodes{};
};

/// Simulates the plan, each replica with the seed after that of the one before. The result is that of the
/// first replica, with the spread of all of them, and of the first replica perturbed. Calls `progress` with the number of tasks done in all
/// replicas.
[[nodiscard]] RunRecord run_plan(SimulationPlan const& plan, RunOptions const& options = {},
                                 ProgressCallback const& progress = {});

}  // namespace factosim
