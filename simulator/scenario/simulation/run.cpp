#include "simulator/scenario/simulation/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

namespace factosim {

namespace {

std::vector<std::string> findings_of(ExperimentPlan const& plan) {
  std::vector<std::string> out = texts_of(plan.scenario.findings);
  auto const more = plan.application.experiment.findings;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

nlohmann::ordered_json experiment_json(ExperimentPlan const& plan, ExperimentResult const& r,
                                       Result::Cost const& cost, std::optional<OutputOptions> const& kept) {
  Result out{.name = plan.scenario.name,
             .estimate = r.estimate,
             .findings = findings_of(plan),
             .makespan = r.makespan,
             .tasks = r.tasks,
             .cost = cost,
             .experiment = Result::Experiment{r.metrics, r.sections},
             .provenance = provenance_head(plan.scenario)};
  nlohmann::ordered_json& options = out.provenance.options;
  options = plan.application.experiment.effective();
  options["outputs"] = written(kept.value_or(plan.scenario.outputs));
  out.provenance.timings = r.timings;
  return result_json(out);
}

std::string experiment_summary(ExperimentPlan const& plan, ExperimentResult const& r) {
  ScenarioHead const& scenario = plan.scenario;
  std::string out;
  if (!scenario.name.empty()) out += fmt::format("{:<14}{}\n", "scenario", scenario.name);
  if (r.estimate)
    out += fmt::format("{:<14}ESTIMATE: some speeds or networks are not measurements, see provenance\n", "");
  return out + r.summary + findings_text(findings_of(plan));
}

RunRecord run_experiment(ExperimentPlan const& plan, RunOptions const& options) {
  CostMeter const meter;
  ExperimentResult result = plan.application.experiment.run(options.trace());
  return {.json = experiment_json(plan, result, meter.cost(result.tasks), options.outputs),
          .summary = experiment_summary(plan, result),
          .trace = std::move(result.trace)};
}

void state_outputs(Result& result, RunOptions const& options) {
  nlohmann::ordered_json& known = result.provenance.options;  // none of a graph that a program made
  if (options.outputs && !known.empty()) known["outputs"] = written(*options.outputs);
}

/// Returns the nodes as a series names them: [nodes].
std::vector<SeriesNode> series_nodes(Platform const& platform) {
  std::vector<SeriesNode> nodes;
  for (std::uint32_t const type : platform.nodes)
    nodes.push_back({platform.types[type].name, platform.types[type].memory_node_count() > 1});
  return nodes;
}

bool some_timing_varies(TaskPlan const& p) {
  return std::any_of(p.machine.type_of.begin(), p.machine.type_of.end(), [&](std::uint32_t type) {
    auto const& deviations = p.machine.types[type].deviations;
    return std::any_of(deviations.begin(), deviations.end(), [](double d) { return d > 0; });
  });
}

/// Returns the noise of the replicas after the first, which has the scenario's: with the seeds that follow.
std::vector<NoiseOptions> noise_of_replicas(TaskPlan const& plan, int replicas) {
  std::vector<NoiseOptions> out;
  for (int i = 1; i < replicas; ++i) {
    out.push_back(plan.scenario.noise);
    out.back().seed = out.back().perturbation_seed = plan.scenario.seed + static_cast<std::uint64_t>(i);
  }
  return out;
}

/// Returns the noise of perturbed runs: what is drawn with the scenario's seed stays.
std::vector<NoiseOptions> noise_of_perturbed(TaskPlan const& plan, int runs) {
  NoiseOptions noise = plan.scenario.noise;
  if (noise.duration_precision == 0) noise.duration_precision = tie_breaking_precision;
  if (noise.overhead_precision == 0) noise.overhead_precision = stated_overhead_precision;
  noise.seed = plan.scenario.seed;
  std::vector<NoiseOptions> out;
  for (int i = 1; i <= runs; ++i) {
    noise.perturbation_seed = plan.scenario.seed + static_cast<std::uint64_t>(i);
    out.push_back(noise);
  }
  return out;
}

constexpr double notable_sensitivity = 0.01;  // relative; below, no finding is made of it

/// Returns a warning where one run says little.
std::optional<std::string> finding_of(Sensitivity const& s) {
  if (s.relative <= notable_sensitivity) return std::nullopt;
  return fmt::format(
      "a single run is worth no more than +- {:.1f} %: the makespan moves as far in {} runs whose ties and "
      "overheads fall otherwise. Compare means of --replicas with \"duration_precision\" and "
      "\"overhead_precision\" of \"noise\"",
      100 * s.relative, s.makespan_s.values.size());
}

Sensitivity sensitivity_of(Seconds makespan, std::vector<Seconds> const& perturbed, NoiseOptions const& noise,
                           double interval) {
  std::vector<double> seconds;
  for (Seconds const s : perturbed) seconds.push_back(s.value);
  Sensitivity out{.duration_precision = noise.duration_precision,
                  .overhead_precision = noise.overhead_precision,
                  .interval = interval,
                  .makespan_s = spread_of(std::move(seconds), interval)};
  out.relative = relative_reach(out.makespan_s, makespan.value);
  return out;
}

/// Returns false if no seed changes the result.
bool depends_on_seed(TaskPlan const& p) {
  PlacedScenario const& s = p.scenario;
  if (s.scheduler.type == "random" || s.noise.worker_speed_deviation > 0 || s.noise.run_speed_deviation > 0 ||
      s.noise.perturbs())
    return true;
  switch (s.noise.distribution) {
    case NoiseDistribution::none:
      return false;
    case NoiseDistribution::normal:
    case NoiseDistribution::lognormal:
      return s.noise.scale > 0 && some_timing_varies(p);
    case NoiseDistribution::empirical:
    case NoiseDistribution::calibrated:
      return s.noise.scale > 0;
  }
  return true;
}

RunRecord run_tasks(TaskPlan const& plan, RunOptions const& options, ProgressCallback const& progress) {
  RunRecord out;
  TraceRecords records;
  if (options.series_points() > 0) {
    out.series.emplace(plan.stored().graph, plan.machine.node_count(), options.series_points());
    out.series_nodes = series_nodes(plan.scenario.platform);
  }
  std::uint64_t before = 0;  // tasks of the replicas that have ended
  auto const report = [&](std::uint64_t done) {
    if (progress) progress(before + done);
  };
  auto const one_more = [&] {
    before += plan.task_count();
    report(0);
  };
  auto const further =
      simulate_in_children(plan, noise_of_replicas(plan, options.replicas), options.jobs, one_more);
  auto const perturbations = noise_of_perturbed(plan, options.perturbed);
  auto const perturbed = simulate_in_children(plan, perturbations, options.jobs, one_more);
  Result result = simulate(plan, options.trace() ? &records : nullptr, report,
                           out.series ? &*out.series : nullptr, options.removes_limits);
  if (options.replicas > 1)
    result.replicas = summarize_replicas(plan, result.makespan, further, options.interval);
  if (!perturbed.empty()) {
    result.sensitivity = sensitivity_of(result.makespan, perturbed, perturbations.front(), options.interval);
    if (auto const finding = finding_of(*result.sensitivity)) result.findings.push_back(*finding);
  }
  state_outputs(result, options);
  out.json = result_json(result);
  out.summary = summary(result, options.summary);
  if (options.trace()) out.trace = run_trace(plan, records);
  out.result = std::move(result);
  return out;
}

}  // namespace

RunDeviation calibrated_run_deviation(ClusterOptions const& cluster) {
  RunDeviation out;
  for (std::uint32_t const type : cluster.platform.nodes) {
    auto const& variability = cluster.models[type].variability;
    if (!variability || variability->run_deviation.value_or(0) <= out.relative) continue;
    out = {.relative = *variability->run_deviation,
           .runs = variability->runs,
           .degrees_of_freedom = variability->degrees_of_freedom};
  }
  return out;
}

Replicas summarize_replicas(TaskPlan const& plan, Seconds first, std::vector<Seconds> const& further,
                            double interval) {
  std::vector<Seconds> makespans{first};
  makespans.insert(makespans.end(), further.begin(), further.end());
  Replicas out;
  std::vector<double> seconds, rates;
  for (Seconds const makespan : makespans) {
    out.seeds.push_back(plan.scenario.seed + out.seeds.size());
    seconds.push_back(makespan.value);
    rates.push_back(gflops(plan, makespan));
  }
  // Nothing is known of the error of deviations that the scenario states itself.
  bool const calibrated = plan.scenario.noise.distribution == NoiseDistribution::calibrated;
  RunDeviation of_runs = calibrated ? calibrated_run_deviation(plan.scenario) : RunDeviation{};
  of_runs.relative *= plan.scenario.noise.scale;
  out.interval = interval;
  out.makespan_s = spread_of(std::move(seconds), interval, of_runs);
  out.gflops = spread_of(std::move(rates), interval, of_runs);
  return out;
}

SimulationPlan plan_simulation(Scenario scenario, SizeLimit const& limit, TaskStorage storage) {
  check_size(scenario, limit);
  if (auto* const experiment = std::get_if<ExperimentScenario>(&scenario.application))
    return ExperimentPlan{scenario, std::move(*experiment)};
  if (scenario.detail.type != Detail::tasks) return EstimatePlan{place(std::move(scenario), limit)};
  return plan_tasks(place(std::move(scenario), limit), storage);
}

void check_scenario(Scenario scenario, SizeLimit const& limit) {
  if (std::holds_alternative<TaskScenario>(scenario.application)) (void)place(std::move(scenario), limit);
}

ScenarioHead const& head_of(SimulationPlan const& plan) {
  return std::visit([](auto const& p) -> ScenarioHead const& { return p.scenario; }, plan);
}

TaskPlan const& task_plan(SimulationPlan const& plan) {
  if (auto const* const tasks = std::get_if<TaskPlan>(&plan)) return *tasks;
  refuse_estimates(head_of(plan));
  auto const& experiment = std::get<ExperimentPlan>(plan);
  refuse_experiment(experiment.scenario, experiment.application.type);
}

std::uint64_t task_count(SimulationPlan const& plan) {
  auto const* const tasks = std::get_if<TaskPlan>(&plan);
  return tasks == nullptr ? 0 : tasks->task_count();
}

bool replicas_may_differ(SimulationPlan const& plan) {
  if (auto const* const tasks = std::get_if<TaskPlan>(&plan)) return depends_on_seed(*tasks);
  refuse_estimates(head_of(plan));
  throw InputError(
      head_of(plan).file + "#/application/type",
      "is a study (--replicas and --sensitivity repeat factorizations). Use a sweep with \"replicas\"");
}

RunRecord run_plan(SimulationPlan const& plan, RunOptions const& options, ProgressCallback const& progress) {
  if (auto const* const tasks = std::get_if<TaskPlan>(&plan)) return run_tasks(*tasks, options, progress);
  if (auto const* const experiment = std::get_if<ExperimentPlan>(&plan))
    return run_experiment(*experiment, options);
  auto const& estimate = std::get<EstimatePlan>(plan);
  if (options.trace() || options.series_points() > 0 || options.replicas > 1 || options.perturbed > 0)
    refuse_estimates(estimate.scenario);
  Result result = estimate_run(estimate, progress);
  state_outputs(result, options);
  return {.json = result_json(result), .summary = summary(result, options.summary)};
}

}  // namespace factosim
