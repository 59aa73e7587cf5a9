#include "simulator/scenario/simulation/known_differences.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <string>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

namespace factosim {

namespace {

/// Replaces the means of one node type by those of `run`, if it has them; `prefix` of its workers' names. They
/// hold what cores slow each other down.
void replace_means(Machine::Type& type, std::string const& prefix, std::span<Kernel const> kernels,
                   RunSummary const& run, OwnMeans& counts) {
  type.contention.reset();
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (std::size_t w = 0; w < type.workers.size(); ++w) {
      double& duration = type.durations[k * type.workers.size() + w];
      if (std::isinf(duration)) continue;  // it cannot run there
      auto const known =
          run.kernels.find({timing_name(kernels[k]), prefix + (type.workers[w].gpu ? "gpu" : "cpu")});
      ++(known != run.kernels.end() ? counts.replaced : counts.kept);
      if (known != run.kernels.end()) duration = known->second.mean;
    }
}

/// Replaces the means of all types that the platform has nodes of.
void replace_means(TaskPlan& plan, RunSummary const& run, OwnMeans& counts) {
  Platform const& platform = plan.scenario.platform;
  for (std::size_t t = 0; t < plan.machine.types.size(); ++t)
    if (std::find(platform.nodes.begin(), platform.nodes.end(), t) != platform.nodes.end())
      replace_means(plan.machine.types[t], run.by_type ? platform.types[t].name + " " : "", plan.work.kernels,
                    run, counts);
}

}  // namespace

void replay_with_means(RunComparison& comparison, std::optional<std::filesystem::path> const& result_a,
                       std::optional<std::filesystem::path> const& result_b) {
  if (!result_a && !result_b) {
    comparison.no_own_means = "neither run has a result.json that names its scenario";
    return;
  }
  OwnMeans own{.simulated = result_b ? 'b' : 'a'};
  try {
    std::filesystem::path const& result = result_b ? *result_b : *result_a;
    PlacedScenario scenario = scenario_of_result(result, parse_json_file(result));
    scenario.noise = {};
    TaskPlan plan = plan_tasks(std::move(scenario));
    replace_means(plan, (result_b ? comparison.a : comparison.b).summary, own);
    own.makespan_s = simulate_with_seed(plan, plan.scenario.seed, nullptr, {}).makespan.value;
    comparison.own_means = own;
  } catch (std::exception const& error) {
    comparison.no_own_means = error.what();
  }
}

}  // namespace factosim
