#include "simulator/simulation/run.hpp"

#include <fmt/format.h>

#include <utility>

#include "factosim/error.hpp"
#include "simulator/loops/loop_experiment.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/report/text/summary.hpp"
#include "simulator/ring/ring_experiment.hpp"
#include "simulator/scenario/loop_keys.hpp"
#include "simulator/scenario/ring_keys.hpp"
#include "simulator/simulation/provenance.hpp"
#include "simulator/simulation/replicas.hpp"
#include "simulator/simulation/simulate.hpp"
#include "simulator/simulation/simulation_cost.hpp"

namespace factosim {

namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

ExperimentResult simulate_experiment(RingScenario const& s, bool with_trace) {
  return simulate_ring_experiment(s, with_trace);
}
ExperimentResult simulate_experiment(DataParallelScenario const& s, bool with_trace) {
  return simulate_data_parallel(s, with_trace);
}

nlohmann::ordered_json options_of(RingScenario const& s) { return effective_ring(s); }
nlohmann::ordered_json options_of(DataParallelScenario const& s) { return effective_loop(s); }

std::string_view type_of(ExperimentPlan const& plan) {
  return std::holds_alternative<RingScenario>(plan.application) ? "ring" : "data-parallel";
}

nlohmann::ordered_json experiment_json(ExperimentPlan const& plan, ExperimentResult const& r,
                                       Result::Cost const& cost) {
  nlohmann::ordered_json json = result_head(plan.scenario.name, r.estimate, r.makespan);
  json["tasks"] = r.tasks;
  json["metrics"] = r.metrics;
  json.update(r.sections);
  json["simulation"] = cost_json(cost);
  json["provenance"] = provenance_head(plan.scenario);
  nlohmann::ordered_json& options = json["provenance"]["options"];
  options = std::visit([](auto const& s) { return options_of(s); }, plan.application);
  options["outputs"] = effective_outputs(plan.scenario.outputs);
  json["provenance"]["timings"] = r.timings;
  return json;
}

std::string experiment_summary(ScenarioHead const& scenario, ExperimentResult const& r) {
  std::string out;
  if (!scenario.name.empty()) out += fmt::format("{:<14}{}\n", "scenario", scenario.name);
  if (r.estimate)
    out += fmt::format("{:<14}ESTIMATE: some speeds or networks are not measurements, see provenance\n", "");
  return out + r.summary;
}

RunRecord run_experiment(ExperimentPlan const& plan, RunOptions const& options) {
  CostMeter const meter;
  ExperimentResult result =
      std::visit([&](auto const& s) { return simulate_experiment(s, options.trace); }, plan.application);
  return {.json = experiment_json(plan, result, meter.cost(result.tasks)),
          .summary = experiment_summary(plan.scenario, result),
          .trace = std::move(result.trace)};
}

std::vector<SeriesNode> series_nodes(Platform const& platform) {
  std::vector<SeriesNode> nodes;
  for (std::uint32_t const type : platform.nodes)
    nodes.push_back({platform.types[type].name, platform.types[type].memory_node_count() > 1});
  return nodes;
}

RunRecord run_tasks(TaskPlan const& plan, RunOptions const& options, ProgressCallback const& progress) {
  RunRecord out;
  TraceRecords records;
  if (options.series_points > 0) {
    out.series.emplace(plan.graph, plan.machine.node_count(), options.series_points);
    out.series_nodes = series_nodes(plan.scenario.platform);
  }
  std::uint64_t before = 0;  // tasks of the replicas that have ended
  auto const report = [&](std::uint64_t done) {
    if (progress) progress(before + done);
  };
  auto const further = simulate_further_replicas(plan, options.replicas, [&] {
    before += plan.graph.task_count();
    report(0);
  });
  Result result =
      simulate(plan, options.trace ? &records : nullptr, report, out.series ? &*out.series : nullptr);
  if (options.replicas > 1)
    result.replicas = summarize_replicas(plan, result.makespan, further, options.interval);
  out.json = result_json(result);
  out.summary = summary(result);
  if (options.trace) out.trace = run_trace(plan, records);
  return out;
}

}  // namespace

SimulationPlan plan_simulation(Scenario scenario, SizeLimit const& limit) {
  check_size(scenario, limit);
  if (auto* const ring = std::get_if<RingScenario>(&scenario.application))
    return ExperimentPlan{scenario, std::move(*ring)};
  if (auto* const loop = std::get_if<DataParallelScenario>(&scenario.application))
    return ExperimentPlan{scenario, std::move(*loop)};
  return plan_tasks(place(std::move(scenario)));
}

void check_scenario(Scenario scenario) {
  bool const tasks = std::visit(
      Overloaded{[](TiledScenario const& /*s*/) { return true; },
                 [](ReplayScenario const& /*s*/) { return true; }, [](auto const& /*s*/) { return false; }},
      scenario.application);
  if (tasks) (void)place(std::move(scenario));
}

ScenarioHead& head_of(SimulationPlan& plan) {
  return std::visit([](auto& p) -> ScenarioHead& { return p.scenario; }, plan);
}

ScenarioHead const& head_of(SimulationPlan const& plan) {
  return std::visit([](auto const& p) -> ScenarioHead const& { return p.scenario; }, plan);
}

TaskPlan const& task_plan(SimulationPlan const& plan) {
  if (auto const* const tasks = std::get_if<TaskPlan>(&plan)) return *tasks;
  auto const& experiment = std::get<ExperimentPlan>(plan);
  refuse_experiment(experiment.scenario, type_of(experiment));
}

std::uint64_t task_count(SimulationPlan const& plan) {
  auto const* const tasks = std::get_if<TaskPlan>(&plan);
  return tasks == nullptr ? 0 : tasks->graph.task_count();
}

bool replicas_may_differ(SimulationPlan const& plan) {
  if (auto const* const tasks = std::get_if<TaskPlan>(&plan)) return depends_on_seed(*tasks);
  throw InputError(head_of(plan).file + "#/application/type",
                   "is a study (--replicas repeats factorizations). Use a sweep with \"replicas\"");
}

RunRecord run_plan(SimulationPlan const& plan, RunOptions const& options, ProgressCallback const& progress) {
  return std::visit(
      Overloaded{[&](TaskPlan const& tasks) { return run_tasks(tasks, options, progress); },
                 [&](ExperimentPlan const& experiment) { return run_experiment(experiment, options); }},
      plan);
}

}  // namespace factosim
